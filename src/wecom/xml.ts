import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { type ParsedTree, TREE_DEPTH_MAX, TREE_NODE_COUNT_MAX, type TreeNode, TreeRefusedError } from './tree.js';

const NO_CHILDREN: readonly TreeNode[] = [];
const NO_ATTRIBUTES: readonly string[] = [];

// XML 1.0 has no way to write these, yet people paste them into messages. While saxes looks, each is replaced by a
// private character of its own, so that one stray byte does not make a dead letter of a message.
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const STAND_IN_BASE = 0xf0000;
const STAND_IN = /[\u{f0000}-\u{f00ff}]/u;

interface OpenElement {
  readonly name: string;
  readonly attributes: readonly string[];
  children: TreeNode[] | null;
  text: string;
  /** Length of `text` up to the end of its last CDATA section: what stands before that is not trimmed at the end. */
  exactEnd: number;
}

/** Strict XML to a tree; the root's name is the caller's business. No DTD, no entity but the five, no mixed content. */
export function parseXml(text: string): ParsedTree {
  try {
    if (!UNWRITABLE.test(text)) return { ok: true, root: buildTree(text, identity) };
    if (STAND_IN.test(text)) return { ok: false, reason: 'not-well-formed' };
    return { ok: true, root: buildTree(replaceUnwritable(text), restoreUnwritable) };
  } catch (error) {
    return { ok: false, reason: error instanceof TreeRefusedError ? error.reason : 'not-well-formed' };
  }
}

function buildTree(text: string, restore: (text: string) => string): TreeNode {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const open: OpenElement[] = [];
  let root: TreeNode | null = null;
  let nodeCount = 0;

  // Internal entities cost nothing here, since saxes never expands them, but a DTD in a callback is an attack.
  parser.on('doctype', () => {
    throw new TreeRefusedError('doctype');
  });
  parser.on('opentag', (tag: SaxesTagPlain) => {
    if (open.length >= TREE_DEPTH_MAX) throw new TreeRefusedError('too-deep');
    if (++nodeCount > TREE_NODE_COUNT_MAX) throw new TreeRefusedError('too-many-nodes');
    const attributes = flatten(tag.attributes, restore);
    open.push({ name: tag.name, attributes, children: null, text: '', exactEnd: 0 });
  });
  parser.on('text', (plain) => {
    const element = open.at(-1);
    if (element === undefined) return;
    element.text += element.text === '' && element.exactEnd === 0 ? plain.slice(blankLength(plain)) : plain;
  });
  parser.on('cdata', (exact) => {
    const element = open.at(-1);
    if (element === undefined) return;
    element.text += exact;
    element.exactEnd = element.text.length;
  });
  parser.on('closetag', () => {
    const element = open.pop();
    if (element === undefined) return;
    const node = close(element, restore);
    const parent = open.at(-1);
    if (parent === undefined) root = node;
    else if (parent.children === null) parent.children = [node];
    else parent.children.push(node);
  });
  parser.write(text).close();
  if (root === null) throw new TreeRefusedError('empty');
  return root;
}

function close(element: OpenElement, restore: (text: string) => string): TreeNode {
  const { name, attributes, children, exactEnd } = element;
  const trimmed = restore(element.text.slice(0, filledLength(element.text, exactEnd)));
  if (children === null) return { name, kind: 'text', text: trimmed, children: NO_CHILDREN, attributes };
  // Text between elements has no place among named fields; leaving it out would make two events one.
  if (trimmed !== '') throw new TreeRefusedError('mixed-content');
  return { name, kind: 'element', text: '', children, attributes };
}

function flatten(attributes: Record<string, string>, restore: (text: string) => string): readonly string[] {
  const flat = Object.entries(attributes).flat();
  return flat.length === 0 ? NO_ATTRIBUTES : flat.map(restore);
}

function identity(text: string): string {
  return text;
}

function replaceUnwritable(text: string): string {
  return text.replace(new RegExp(UNWRITABLE, 'g'), (character) =>
    String.fromCodePoint(STAND_IN_BASE + (character.charCodeAt(0) & 0xff)),
  );
}

function restoreUnwritable(text: string): string {
  return text.replace(new RegExp(STAND_IN, 'gu'), (standIn) => {
    const low = (standIn.codePointAt(0) ?? STAND_IN_BASE) - STAND_IN_BASE;
    return String.fromCharCode(low < 0x20 ? low : 0xff00 + low);
  });
}

/** Length of the blank beginning. Only XML's own white space: an ideographic space is a character that people type. */
function blankLength(text: string): number {
  let length = 0;
  while (length < text.length && isBlank(text.charCodeAt(length))) length++;
  return length;
}

/** Length without the blank end, which begins at `from` at the earliest. A pattern would need quadratic time. */
function filledLength(text: string, from: number): number {
  let length = text.length;
  while (length > from && isBlank(text.charCodeAt(length - 1))) length--;
  return length;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;
}
