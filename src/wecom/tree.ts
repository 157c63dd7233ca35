/**
 * What XML and JSON bodies have in common, nothing yet lost or normalised: the fields that handlers see and the
 * canonical text that identifies an event are both made from it.
 */
export interface TreeNode {
  /** Empty for the items of a JSON array. */
  readonly name: string;
  /**
   * `text`: an XML leaf or a JSON string. `scalar`: a JSON number, boolean or null by its spelling. `element`: XML
   * children in document order. `object`: JSON members, whose order means nothing. `list`: a JSON array.
   */
  readonly kind: 'text' | 'scalar' | 'element' | 'object' | 'list';
  /** Of a leaf; empty otherwise. */
  readonly text: string;
  readonly children: readonly TreeNode[];
  /** Name, value, name, value. WeCom uses none today, but an identity that ignored them would merge events. */
  readonly attributes: readonly string[];
}

/** Whether it is JSON's null, which stands for a value that is missing. */
export function isNull(node: TreeNode): boolean {
  return node.kind === 'scalar' && node.text === 'null';
}

export type ParseFailure =
  | 'empty'
  | 'not-utf8'
  | 'not-well-formed'
  | 'doctype'
  | 'mixed-content'
  | 'too-deep'
  | 'too-many-nodes'
  | 'wrong-root'
  | 'no-event-type';

export type ParsedTree =
  { readonly ok: true; readonly root: TreeNode } | { readonly ok: false; readonly reason: ParseFailure };

/** The deepest documented body, an approval, has 7 levels. */
export const TREE_DEPTH_MAX = 32;

/** An approval with 1,500 approvers has some 15,000 nodes; a hostile text of 1 MiB could have a quarter of a million. */
export const TREE_NODE_COUNT_MAX = 50_000;

/** Ends a parser from inside its callbacks. Caught by `parseXml` and `parseJson`; never leaves them. */
export class TreeRefusedError extends Error {
  readonly code = 'WECOM_TREE_REFUSED';

  constructor(readonly reason: ParseFailure) {
    super(`the text was refused: ${reason}`);
    this.name = 'TreeRefusedError';
  }
}
