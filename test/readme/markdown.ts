export interface Heading {
  readonly level: number;
  readonly text: string;
}

export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

const FENCE = /^```(\w*)\n([\s\S]*?)\n```$/gm;

/** Fenced blocks in order. */
export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(FENCE)].map(([, language = '', text = '']) => ({ language, text }));
}

/** Headings in order; a `#` inside a fenced block is a comment of a shell. */
export function headings(markdown: string): Heading[] {
  const prose = markdown.replaceAll(FENCE, '');
  return [...prose.matchAll(/^(#{1,6}) (.+)$/gm)].map(([, marks = '', text = '']) => ({ level: marks.length, text }));
}
