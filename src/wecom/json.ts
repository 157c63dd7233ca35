import { parse } from 'lossless-json';
import { type ParsedTree, TREE_DEPTH_MAX, TREE_NODE_COUNT_MAX, type TreeNode, TreeRefusedError } from './tree.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const NONE: readonly never[] = [];
const ESCAPED_SURROGATE = /\\u[dD]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** A number by its spelling: ids exceed 2^53. A class, so that it cannot be mistaken for an object of the text. */
class NumberText {
  constructor(readonly spelling: string) {}
}

/**
 * JSON to a tree, numbers kept as written. Two members of one name are refused unless their values agree: which of
 * them counts would depend on the reader.
 */
export function parseJson(text: string): ParsedTree {
  try {
    refuseDeepNesting(text);
    const value = parse(text, undefined, { parseNumber: (spelling) => new NumberText(spelling) });
    const builder = new TreeBuilder(ESCAPED_SURROGATE.test(text));
    return { ok: true, root: builder.node('', value) };
  } catch (error) {
    return { ok: false, reason: error instanceof TreeRefusedError ? error.reason : 'not-well-formed' };
  }
}

class TreeBuilder {
  private nodeCount = 0;

  constructor(private readonly mayHoldLoneSurrogates: boolean) {}

  node(name: string, value: unknown): TreeNode {
    if (++this.nodeCount > TREE_NODE_COUNT_MAX) throw new TreeRefusedError('too-many-nodes');
    this.refuseLoneSurrogate(name);
    if (typeof value === 'string') {
      this.refuseLoneSurrogate(value);
      return { name, kind: 'text', text: value, children: NONE, attributes: NONE };
    }
    if (Array.isArray(value)) {
      const children = value.map((item) => this.node('', item));
      return { name, kind: 'list', text: '', children, attributes: NONE };
    }
    if (typeof value === 'object' && value !== null && !(value instanceof NumberText)) {
      const children = Object.entries(value).map(([member, content]) => this.node(member, content));
      return { name, kind: 'object', text: '', children, attributes: NONE };
    }
    const text = value instanceof NumberText ? value.spelling : String(value);
    return { name, kind: 'scalar', text, children: NONE, attributes: NONE };
  }

  /** Half a character cannot be written as UTF-8, so two that differ would hash and be stored alike. */
  private refuseLoneSurrogate(text: string): void {
    if (this.mayHoldLoneSurrogates && LONE_SURROGATE.test(text)) throw new TreeRefusedError('not-well-formed');
  }
}

/** The parser recurses, so the nesting is bounded before it runs. Brackets inside strings do not count. */
function refuseDeepNesting(text: string): void {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === BRACE_OPEN || code === BRACKET_OPEN) {
      if (++depth > TREE_DEPTH_MAX) throw new TreeRefusedError('too-deep');
    } else if (code === BRACE_CLOSE || code === BRACKET_CLOSE) depth--;
  }
}
