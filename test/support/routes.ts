/** `METHOD /path` of Fastify's tree. */
export function routesOf(table: string): string[] {
  const parts: string[] = [];
  const found: string[] = [];
  for (const line of table.split('\n')) {
    const [, indent = '', rest = ''] = /^((?:│ {3}| {4})*)(?:├── |└── )(.*)$/.exec(line) ?? [];
    if (rest === '') continue;
    const depth = indent.length / 4;
    const [, part = '', methods = ''] = /^(\S*)(?: \(([A-Z, ]+)\))?/.exec(rest) ?? [];
    parts.length = depth;
    parts.push(part);
    for (const method of methods.split(', ').filter((one) => one !== '' && one !== 'HEAD'))
      found.push(`${method} ${parts.join('')}`);
  }
  return found;
}
