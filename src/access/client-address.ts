import { isIPv6 } from 'node:net';

/**
 * The address by which attempts are counted. One line has a whole /64 of IPv6, so all of it counts as one; IPv4 in IPv6
 * is IPv4.
 */
export function addressGroup(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return address;
  const [head = '', tail = ''] = bare.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  // An embedded IPv4 address takes the place of two groups, and is never among the first four.
  const width = last.at(-1)?.includes('.') ? last.length + 1 : last.length;
  const zeros = bare.includes('::') ? Array<string>(8 - first.length - width).fill('0') : [];
  const groups = [...first, ...zeros, ...last].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(':')}::/64`;
}
