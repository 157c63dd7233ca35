import type { TreeNode } from './tree.js';

const KIND_CODES = { text: 't', scalar: 's', element: 'e', object: 'o', list: 'l' } as const;

/**
 * A text that two bodies share only if they say the same: every name, value, attribute and kind, each with its length
 * in front, less the elements whose dot path is `volatile`.
 *
 * It is made from the raw tree, so that a new row in the event catalogue changes no identity. XML keeps document order,
 * since flat lists may be interleaved (`Id A Id B` and `Id Id A B` can be two happenings), and a retry repeats the
 * stored text. JSON members are sorted: their order means nothing, and some serializers change it from call to call.
 */
export function canonical(root: TreeNode, volatile: readonly string[]): string {
  return write(root, '', new Set(volatile));
}

function write(node: TreeNode, path: string, volatile: ReadonlySet<string>): string {
  let text = KIND_CODES[node.kind] + prefixed(node.name);
  if (node.attributes.length > 0) text += `a${node.attributes.length};${node.attributes.map(prefixed).join('')}`;
  if (node.kind === 'text' || node.kind === 'scalar') return text + prefixed(node.text);
  for (const child of node.kind === 'object' ? sorted(node.children) : node.children) {
    let childPath = path;
    // Paths cost as much as all the rest, and most events have nothing volatile.
    if (volatile.size > 0 && node.kind !== 'list') {
      childPath = path === '' ? child.name : `${path}.${child.name}`;
      if (volatile.has(childPath)) continue;
    }
    text += write(child, childPath, volatile);
  }
  return `${text})`;
}

function prefixed(text: string): string {
  return `${text.length}:${text}`;
}

/** By code unit: a locale would make the key depend on the machine. */
function sorted(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return [...nodes].sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
}
