import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { getMetadataStorage } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { Env } from '../../src/config/env.js';

const root = resolve(import.meta.dirname, '../..');
const example = readFileSync(resolve(root, '.env.example'), 'utf8').split('\n');

/** In the order of the class: every setting has a rule, and rules are registered member by member. */
function settings(): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Env, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

describe('.env.example', () => {
  const keys = example.flatMap((line) => /^#? ?([A-Z][A-Z0-9_]*)=/.exec(line)?.[1] ?? []);

  it('holds every setting, once, in the order of the class', () => {
    const declared = [
      ...readFileSync(resolve(root, 'src/config/env.ts'), 'utf8').matchAll(/^ {2}([A-Z][A-Z0-9_]*)[?!]?(?::|\s*=)/gm),
    ];
    const inOrder = declared.map(([, name = '']) => name);
    expect(new Set(inOrder)).toEqual(new Set(settings()));
    expect(keys).toEqual(inOrder);
  });

  it('gives a default as the class has it, or a comment', () => {
    const defaults = new Env() as unknown as Readonly<Record<string, string | number | undefined>>;
    for (const line of example) {
      const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
      if (name !== undefined) expect(value, name).toBe(String(defaults[name] ?? ''));
    }
  });
});
