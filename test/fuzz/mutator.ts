import type { SeededRandom } from '../support/seeded-random.js';

/** Pieces that parsers stumble over: brackets of both envelopes, escapes, bytes that are no UTF-8, large numbers. */
const PIECES: readonly Buffer[] = [
  ...[
    '<',
    '>',
    '</',
    '/>',
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    '<!DOCTYPE a [<!ENTITY b "c">]>',
    '&b;',
    '&#0;',
    '&#x10ffff;',
  ],
  ...[
    '<Encrypt>',
    '</Encrypt>',
    '<Encrypt/>',
    '<xml>',
    '</xml>',
    '<MsgType>event</MsgType>',
    '<CreateTime>-1</CreateTime>',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    '\\u0000',
    '\\ud800',
    '"encrypt":',
    'null',
    '1e999',
    '-',
    '__proto__',
    'constructor',
  ],
  ...['%', '%00', '%zz', '+', '=', '&', '?', '#', ';', ' ', '\t', '\r\n', '\0', '\ufeff', '中', '\u{1f600}'],
].map((text) => Buffer.from(text));

const BYTES: readonly Buffer[] = [
  [0xff],
  [0xfe, 0xff],
  [0xed, 0xa0, 0x80],
  [0xc0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0x80],
].map((bytes) => Buffer.from(bytes));

const EDITS_MAX = 6;
const REPEATS_MAX = 200;

/** Damages bytes in the ways that networks, proxies, other programs and attackers do. The same seed damages alike. */
export class Mutator {
  constructor(private readonly random: SeededRandom) {}

  below(limit: number): number {
    return Math.floor(this.random.fraction() * limit);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  mutate(original: Buffer): Buffer {
    let bytes = original;
    for (let edits = 1 + this.below(EDITS_MAX); edits > 0; edits -= 1) bytes = this.edit(bytes);
    return bytes;
  }

  mutateText(text: string): string {
    return this.mutate(Buffer.from(text)).toString('latin1');
  }

  private edit(bytes: Buffer): Buffer {
    const at = this.below(bytes.length + 1);
    const end = Math.min(bytes.length, at + this.below(24));
    const [before, middle, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
    switch (this.below(7)) {
      case 0:
        return Buffer.concat([before, after]);
      case 1:
        return Buffer.concat([before, this.pick(PIECES), bytes.subarray(at)]);
      case 2:
        return Buffer.concat([before, this.pick(BYTES), after]);
      case 3:
        return Buffer.concat([before, middle, middle, after]);
      case 4:
        return Buffer.concat([before, ...Array<Buffer>(this.below(REPEATS_MAX)).fill(this.pick(PIECES)), after]);
      case 5:
        return before;
      default: {
        const flipped = Buffer.from(bytes);
        if (at < flipped.length) flipped[at] = (flipped[at] as number) ^ (1 << this.below(8));
        return flipped;
      }
    }
  }
}
