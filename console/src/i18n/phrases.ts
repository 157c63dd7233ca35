/** What is said in one language, by the sentences of another one. */
export interface Phrases {
  /**
   * Sentences and what they are here, with `{names}` for what varies. The first one that fits counts. A name that is a
   * group's stands for a sentence of that group.
   */
  readonly groups: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By name: words that have one of their own here. */
  readonly words: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface Said {
  readonly text: string;
  /** The sentences that it was made of. */
  readonly sentences: readonly string[];
}

/** What a name stands for unless it is a group or has words: one word, so that no new end of a sentence hides in it. */
const WORD = String.raw`\S+`;
const PATTERNS: Readonly<Record<string, string>> = {
  // A code may be the name of anybody's error; the message behind it, and an operator's words, may be empty or have lines.
  code: '.+?',
  message: '.*',
  words: '.*',
  keys: String.raw`\S+(?:, \S+)*`,
  // Sentences of this group hold each other.
  reason: '.+',
};
/** Somebody else may have written it: what is not known is kept as it is. */
const OPEN = 'message';
const NAME = /\{(\w+)\}/;

interface Sentence {
  readonly source: string;
  readonly pattern: RegExp;
  readonly target: string;
}

/** Says whole sentences or nothing: never a half. */
export class Translator {
  private readonly groups = new Map<string, readonly Sentence[]>();

  constructor(private readonly phrases: Phrases) {
    for (const [group, sentences] of Object.entries(phrases.groups)) {
      const compiled = Object.entries(sentences).map(([source, target]) => ({
        ...{ source, target },
        pattern: new RegExp(`^${this.patternOf(source, true)}$`, 's'),
      }));
      this.groups.set(group, compiled);
    }
  }

  /** The text as a sentence of one of the groups; null when none of them has it. */
  say(text: string, groups: readonly string[]): Said | null {
    for (const group of groups) {
      for (const sentence of this.groups.get(group) ?? []) {
        const parts = sentence.pattern.exec(text);
        const said = parts && this.fill(sentence, parts.groups ?? {});
        if (said) return said;
      }
    }
    return null;
  }

  private fill({ source, target }: Sentence, parts: Readonly<Record<string, string>>): Said | null {
    const sentences = [source];
    const filled = new Map<string, string>();
    for (const [name, part] of Object.entries(parts)) {
      const words = this.phrases.words[name];
      const said = this.groups.has(name) ? this.say(part, [name]) : null;
      if (said) sentences.push(...said.sentences);
      else if ((this.groups.has(name) && name !== OPEN) || (words && !Object.hasOwn(words, part))) return null;
      filled.set(name, said?.text ?? words?.[part] ?? part);
    }
    return { sentences, text: target.replace(/\{(\w+)\}/g, (_, name: string) => filled.get(name) ?? '') };
  }

  private patternOf(source: string, isNamed: boolean): string {
    const [before = '', name] = source.split(NAME);
    const literal = before.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    if (name === undefined) return literal;
    const part = PATTERNS[name] ?? this.alternatives(name) ?? WORD;
    const rest = source.slice(before.length + name.length + '{}'.length);
    return `${literal}(${isNamed ? `?<${name}>` : '?:'}${part})${this.patternOf(rest, isNamed)}`;
  }

  private alternatives(group: string): string | null {
    const sentences = this.phrases.groups[group];
    return sentences
      ? Object.keys(sentences)
          .map((source) => this.patternOf(source, false))
          .join('|')
      : null;
  }
}
