import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const SRC = resolve(import.meta.dirname, '../../src');

/** A text of the source, with a word of its own where it has an expression. */
export interface SourceText {
  readonly at: string;
  readonly text: string;
  /** The words put in: no two of a text are alike. */
  readonly words: readonly string[];
}

export interface Reading {
  /** Folders and files of `src` whose reasons are no event's. */
  readonly without: readonly string[];
  /** By the name of a function or a class: at which argument it is given a reason. */
  readonly tellers: Readonly<Record<string, number>>;
  /** Folders in which what any error says may become an event's error. */
  readonly thrown: readonly string[];
  /** Functions that return a reason. */
  readonly returning: readonly string[];
  /** What an expression stands for, by its own text, or by `file: expression`. */
  readonly standsFor: Readonly<Record<string, string>>;
}

/**
 * The texts that the source gives as a reason: the value of a property or variable `reason`, an argument of one of the
 * tellers, what errors say. It reads literals, templates, conditions and the constants that they name; nothing else.
 */
export function reasonTemplates(reading: Reading): SourceText[] {
  const files = (readdirSync(SRC, { recursive: true }) as string[])
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .filter((file) => !reading.without.some((path) => file === path || file.startsWith(`${path}/`)));
  return files.flatMap((file) => new SourceReader(file, reading).texts());
}

interface Piece {
  readonly text: string;
  readonly words: readonly string[];
}

class SourceReader {
  private readonly source: ts.SourceFile;
  private readonly found: SourceText[] = [];
  private readonly isThrown: boolean;
  private wordCount = 0;

  constructor(
    private readonly file: string,
    private readonly reading: Reading,
  ) {
    const text = readFileSync(join(SRC, file), 'utf8');
    this.source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
    this.isThrown = reading.thrown.some((folder) => file.startsWith(`${folder}/`));
  }

  texts(): SourceText[] {
    this.each(this.source, (node) => {
      for (const told of this.toldBy(node)) {
        const { line } = this.source.getLineAndCharacterOfPosition(told.getStart());
        for (const piece of this.pieces(told) ?? []) {
          // A word alone is an expression, which nothing is known of here.
          if (piece.text !== '' && piece.text !== piece.words[0])
            this.found.push({ at: `src/${this.file}:${line + 1}`, ...piece });
        }
      }
    });
    return this.found;
  }

  private each(node: ts.Node, visit: (node: ts.Node) => void): void {
    visit(node);
    node.forEachChild((child) => this.each(child, visit));
  }

  private toldBy(node: ts.Node): ts.Expression[] {
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'reason') return [node.initializer];
    if (ts.isVariableDeclaration(node) && node.name.getText() === 'reason') return [node.initializer ?? []].flat();
    if (ts.isReturnStatement(node)) return this.isReason(node) && node.expression ? [node.expression] : [];
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return [];
    const name = node.expression.getText();
    const isError = this.isThrown && (name === 'super' || name === 'Error' || name === 'TypeError');
    const place = this.reading.tellers[name] ?? (isError ? 0 : undefined);
    const told = place === undefined ? undefined : node.arguments?.[place];
    return told ? [told] : [];
  }

  private isReason(node: ts.ReturnStatement): boolean {
    const inside = ts.findAncestor(node, ts.isFunctionDeclaration);
    return this.reading.returning.includes(inside?.name?.text ?? '');
  }

  /** All that the expression may say; null when it is no text that can be read here. */
  private pieces(node: ts.Expression, inside: readonly string[] = []): Piece[] | null {
    if (ts.isStringLiteralLike(node)) return [{ text: node.text, words: [] }];
    if (ts.isParenthesizedExpression(node)) return this.pieces(node.expression, inside);
    if (ts.isConditionalExpression(node)) {
      const [yes, no] = [this.pieces(node.whenTrue, inside), this.pieces(node.whenFalse, inside)];
      return yes || no ? [...(yes ?? []), ...(no ?? [])] : null;
    }
    if (ts.isTemplateExpression(node)) return this.template(node, inside);
    if (isAlternative(node))
      return [...this.substituted(node.left, inside), ...(this.pieces(node.right, inside) ?? [])];
    if (!ts.isIdentifier(node) || inside.includes(node.text)) return null;
    const value = constantOf(node);
    return value && this.pieces(value, [...inside, node.text]);
  }

  private template({ head, templateSpans }: ts.TemplateExpression, inside: readonly string[]): Piece[] {
    let all: Piece[] = [{ text: head.text, words: [] }];
    for (const { expression, literal } of templateSpans) {
      const said = this.substituted(expression, inside);
      all = all.flatMap((before) =>
        said.map((piece) => ({
          text: `${before.text}${piece.text}${literal.text}`,
          words: [...before.words, ...piece.words],
        })),
      );
    }
    return all;
  }

  private substituted(expression: ts.Expression, inside: readonly string[]): Piece[] {
    const name = expression.getText();
    const given = this.reading.standsFor[`${this.file}: ${name}`] ?? this.reading.standsFor[name];
    if (given !== undefined) return [{ text: given, words: [] }];
    const read = this.pieces(expression, inside);
    if (read) return read;
    this.wordCount += 1;
    const word = `w${this.wordCount}x`;
    return [{ text: word, words: [word] }];
  }
}

function isAlternative(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken;
}

/** The value of the constant that the name is, in the innermost block that has one. */
function constantOf(name: ts.Identifier): ts.Expression | null {
  for (let block: ts.Node | undefined = name.parent; block; block = block.parent) {
    if (!ts.isBlock(block) && !ts.isSourceFile(block)) continue;
    for (const statement of block.statements) {
      if (!ts.isVariableStatement(statement)) continue;
      const { declarations } = statement.declarationList;
      const own = declarations.find((one) => ts.isIdentifier(one.name) && one.name.text === name.text);
      if (own?.initializer) return own.initializer;
    }
  }
  return null;
}
