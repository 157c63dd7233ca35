/** What an expression asks of the metrics: their names, and the labels that it matches or groups by. */
export interface PromqlNames {
  readonly selectors: readonly { readonly metric: string; readonly matchers: readonly Matcher[] }[];
  /** In `by (…)`, `without (…)`, `on (…)`, `ignoring (…)`, `group_left (…)`. */
  readonly groupings: readonly string[];
}

export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

const TOKEN =
  /\s+|(?<string>"(?:[^"\\]|\\.)*")|(?<duration>\[[^\]]*\])|(?<number>\d[\d.]*(?:e[+-]?\d+|[smhdwy])?)|(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)|(?<sign>=~|!~|!=|==|>=|<=|[-+*/%^<>=(){},])/y;
const GROUPING = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const OPERATORS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'atan2']);

/** Throws on what is no PromQL, as far as tokens can tell; whether it means something is for promtool to say. */
export function promqlNames(expression: string): PromqlNames {
  const tokens = tokensOf(expression);
  const selectors: { metric: string; matchers: Matcher[] }[] = [];
  const groupings: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    if (!/^[a-zA-Z_:]/.test(token) || OPERATORS.has(token)) continue;
    if (GROUPING.has(token)) {
      if (tokens[at + 1] !== '(') continue;
      const end = tokens.indexOf(')', at);
      groupings.push(...tokens.slice(at + 2, end).filter((name) => name !== ','));
      at = end;
    } else if (tokens[at + 1] === '{') {
      const end = tokens.indexOf('}', at);
      selectors.push({ metric: token, matchers: matchersOf(tokens.slice(at + 2, end)) });
      at = end;
    } else if (tokens[at + 1] !== '(' && !GROUPING.has(tokens[at + 1] ?? '')) {
      selectors.push({ metric: token, matchers: [] });
    }
  }
  return { selectors, groupings };
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  let depth = 0;
  while (TOKEN.lastIndex < expression.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(expression);
    if (match === null) throw new Error(`no PromQL at ${at}: ${expression.slice(at, at + 20)}`);
    const { string, name, sign } = match.groups ?? {};
    const token = string ?? name ?? sign;
    if (token === '(' || token === '{') depth += 1;
    if (token === ')' || token === '}') depth -= 1;
    if (token !== undefined) tokens.push(token);
  }
  if (depth !== 0) throw new Error(`brackets do not close: ${expression}`);
  return tokens;
}

function matchersOf(tokens: readonly string[]): Matcher[] {
  const parts = tokens.filter((token) => token !== ',');
  const matchers: Matcher[] = [];
  for (let at = 0; at < parts.length; at += 3) {
    const [label = '', operator = '', value = ''] = parts.slice(at, at + 3);
    if (!/^(?:=|!=|=~|!~)$/.test(operator) || !value.startsWith('"')) throw new Error(`no matcher: ${parts.join(' ')}`);
    matchers.push({ label, operator: operator as Matcher['operator'], value: JSON.parse(value) as string });
  }
  return matchers;
}

/** Of each exported metric the labels of its samples with the values seen. A metric without samples has none. */
export function exportedMetrics(text: string): ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Map<string, Set<string>>>();
  const of = (name: string): Map<string, Set<string>> => {
    const labels = found.get(name) ?? new Map<string, Set<string>>();
    found.set(name, labels);
    return labels;
  };
  for (const line of text.split('\n')) {
    const [, typed, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (typed !== undefined) {
      const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => typed + end) : [typed];
      for (const name of names) of(name);
    }
    const [, name, pairs = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined || line.startsWith('#')) continue;
    for (const [, label = '', value = ''] of pairs.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      const labels = of(name);
      labels.set(label, (labels.get(label) ?? new Set()).add(value));
    }
  }
  return found;
}
