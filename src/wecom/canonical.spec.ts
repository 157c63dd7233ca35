import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from './canonical.js';
import type { TreeNode } from './tree.js';

const word = fc.oneof(fc.constantFrom('a', 'b', '1', '', ':', ')', '1:a', 't1:a', 'a1;'), fc.string({ maxLength: 4 }));

const { node } = fc.letrec<{ node: TreeNode; leaf: TreeNode; branch: TreeNode }>((tie) => ({
  node: fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('branch')),
  leaf: fc.record({
    name: word,
    kind: fc.constantFrom('text', 'scalar'),
    text: word,
    children: fc.constant([]),
    attributes: fc.array(word, { maxLength: 2 }),
  }),
  // Objects are left to a test of their own, since their order means nothing.
  branch: fc.record({
    name: word,
    kind: fc.constantFrom('element', 'list'),
    text: fc.constant(''),
    children: fc.array(tie('node'), { maxLength: 4 }),
    attributes: fc.array(word, { maxLength: 2 }),
  }),
}));

/** The words of a tree, some moved over the border to their neighbour: what a sloppy encoding would not notice. */
function shifted(tree: TreeNode): TreeNode {
  const text = tree.name.slice(-1) + tree.text;
  const children = tree.children.map(shifted);
  return { ...tree, name: tree.name.slice(0, -1), text: tree.children.length > 0 ? '' : text, children };
}

describe('canonical', () => {
  it('is the same for equal trees and differs for different ones', () => {
    fc.assert(
      fc.property(node, node, (left, right) => {
        const isEqual = JSON.stringify(left) === JSON.stringify(right);
        expect(canonical(left, []) === canonical(right, [])).toBe(isEqual);
        expect(canonical(structuredClone(left), [])).toBe(canonical(left, []));
      }),
      { numRuns: 1_000 },
    );
  });

  it('differs when text moves from one part to the next', () => {
    fc.assert(
      fc.property(node, (tree) => {
        const moved = shifted(tree);
        const isEqual = JSON.stringify(moved) === JSON.stringify(tree);
        expect(canonical(moved, []) === canonical(tree, [])).toBe(isEqual);
      }),
      { numRuns: 1_000 },
    );
  });

  it('can be told back into the tree, so nothing of it is lost', () => {
    fc.assert(
      fc.property(node, (tree) => {
        expect(readBack(canonical(tree, []))).toEqual(tree);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the order of elements, since flat lists may be interleaved', () => {
    const leaf = (name: string): TreeNode => ({ name, kind: 'text', text: '', children: [], attributes: [] });
    const parent = (...names: string[]): TreeNode => ({ ...leaf('xml'), kind: 'element', children: names.map(leaf) });
    expect(canonical(parent('Id', 'A', 'Id'), [])).not.toBe(canonical(parent('Id', 'Id', 'A'), []));
  });
});

/** A reader of the canonical text. That it can be written is the proof that two trees never share one. */
function readBack(text: string): TreeNode {
  let position = 0;
  const kinds = { t: 'text', s: 'scalar', e: 'element', l: 'list' } as const;

  function number(end: string): number {
    const stop = text.indexOf(end, position);
    const value = Number(text.slice(position, stop));
    position = stop + 1;
    return value;
  }

  function word(): string {
    const length = number(':');
    position += length;
    return text.slice(position - length, position);
  }

  function read(): TreeNode {
    const kind = kinds[text.charAt(position++) as keyof typeof kinds];
    const name = word();
    const attributes: string[] = [];
    if (text[position] === 'a') {
      position++;
      for (let count = number(';'); count > 0; count--) attributes.push(word());
    }
    if (kind === 'text' || kind === 'scalar') return { name, kind, text: word(), children: [], attributes };
    const children: TreeNode[] = [];
    while (text[position] !== ')') children.push(read());
    position++;
    return { name, kind, text: '', children, attributes };
  }

  return read();
}
