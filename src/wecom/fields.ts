import type { FieldTree, FieldValue } from './event.js';
import type { ListShape } from './event-catalogue.js';
import { isNull, type TreeNode } from './tree.js';

/**
 * The children of a node by name. A repeated element becomes a list, and one that the shape names is a list at any
 * count, none included, so that a handler need not ask whether an approval happens to have one approver or two.
 */
export function toFields(node: TreeNode, shape?: ListShape): FieldTree {
  const fields = Object.create(null) as Record<string, FieldValue>;
  for (const child of node.children) {
    const childShape = shape?.children.get(child.name);
    const value = toValue(child, childShape);
    const earlier = fields[child.name];
    if (Array.isArray(earlier)) earlier.push(value);
    else if (earlier !== undefined) fields[child.name] = [earlier, value];
    else fields[child.name] = childShape?.isList === true && child.kind !== 'list' ? [value] : value;
  }
  if (shape !== undefined) {
    for (const [name, child] of shape.children) if (child.isList && fields[name] === undefined) fields[name] = [];
  }
  return fields;
}

function toValue(node: TreeNode, shape: ListShape | undefined): FieldValue {
  if (node.kind === 'list') return node.children.map((item) => toValue(item, shape));
  if (node.kind === 'scalar') return isNull(node) ? '' : node.text;
  if (node.kind !== 'text') return toFields(node, shape);
  // An empty element has no kind of its own: it is an empty group where the shape expects something inside it.
  const isEmptyGroup = node.text === '' && shape !== undefined && shape.children.size > 0;
  return isEmptyGroup ? toFields(node, shape) : node.text;
}
