import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = resolve(import.meta.dirname, '../../src/idempotency/lua');
const files = readdirSync(folder).sort();
const COMMENT_SHARE_MIN = 0.3;

describe('Lua scripts', () => {
  it('are one for each move that the port has', () => {
    const port = readFileSync(resolve(folder, '../idempotency-store.ts'), 'utf8');
    const moves = [...port.matchAll(/abstract (\w+)\(key/g)].map(([, name = '']) => name);
    expect(moves).toContain('claim');
    expect(files).toEqual(moves.map((name) => `${name}.lua`).sort());
  });

  describe.each(files)('%s', (file) => {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    const written = lines.filter((line) => line.trim() !== '');
    const comments = written.filter((line) => line.trim().startsWith('--'));
    const code = written.filter((line) => !line.trim().startsWith('--')).join('\n');
    const header = lines.slice(
      0,
      lines.findIndex((line) => line === ''),
    );

    it('opens with its purpose, keys, arguments, answers and caller', () => {
      expect(header[0]).toMatch(new RegExp(`^-- ${file.replace('.lua', '')}: .+\\.$`));
      for (const part of ['KEYS[1]', 'ARGV[1]', 'Returns', 'Caller']) expect(header.join('\n')).toContain(`-- ${part}`);
    });

    it('explains every argument that it uses, and no other', () => {
      const used = new Set([...code.matchAll(/ARGV\[\d\]/g)].map(String));
      const explained = new Set([...header.join('\n').matchAll(/ARGV\[\d\]/g)].map(String));
      expect(explained).toEqual(used);
    });

    it('touches one key', () => {
      expect(new Set([...code.matchAll(/KEYS\[\d\]/g)].map(String))).toEqual(new Set(['KEYS[1]']));
      for (const [, argument] of code.matchAll(/redis\.call\('(?!TIME)\w+', ([^,)]+)/g))
        expect(argument).toBe('KEYS[1]');
    });

    it('has comments on 30 % of its lines or more', () => {
      expect(comments.length / written.length).toBeGreaterThanOrEqual(COMMENT_SHARE_MIN);
    });
  });
});
