export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'sign' | 'end';
  readonly text: string;
}

const TOKEN = /\s*(?:([A-Za-z_][A-Za-z_0-9]*)|(\d+)|'((?:[^']|'')*)'|(<=|>=|<>|[-+(),.=<>?*]))/y;

/** Reads the tokens of one statement from left to right. Key words are compared in upper case. */
export class Tokens {
  private readonly tokens: Token[];
  private at = 0;

  constructor(sql: string) {
    this.tokens = tokensOf(sql);
  }

  get next(): Token {
    return this.tokens[this.at] ?? { kind: 'end', text: '' };
  }

  get previousWord(): string | null {
    const token = this.tokens[this.at - 1];
    return token?.kind === 'word' ? token.text : null;
  }

  take(): Token {
    const token = this.next;
    this.at += 1;
    return token;
  }

  is(...texts: readonly string[]): boolean {
    return texts.every((text, offset) => {
      const token = this.tokens[this.at + offset];
      return token !== undefined && token.kind !== 'string' && token.text.toUpperCase() === text;
    });
  }

  /** Takes these tokens if they come next. */
  accept(...texts: readonly string[]): boolean {
    if (!this.is(...texts)) return false;
    this.at += texts.length;
    return true;
  }

  expect(...texts: readonly string[]): void {
    if (!this.accept(...texts)) throw new SyntaxError(`${texts.join(' ')} expected, not ${this.next.text}`);
  }

  string(): string {
    const token = this.take();
    if (token.kind !== 'string') throw new SyntaxError(`a text expected, not ${token.text}`);
    return token.text;
  }

  name(): string {
    const token = this.take();
    if (token.kind !== 'word') throw new SyntaxError(`a name expected, not ${token.text}`);
    return token.text;
  }
}

function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  const text = sql.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw new SyntaxError(`the simulated database does not read: ${text.slice(from, from + 40)}`);
    const [, word, number, string, sign] = match;
    if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (string !== undefined) tokens.push({ kind: 'string', text: string.replaceAll("''", "'") });
    else tokens.push({ kind: 'sign', text: sign ?? '' });
  }
  return tokens;
}
