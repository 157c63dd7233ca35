import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_MACHINES } from '../../src/handlers/built-in-machines.js';
import { mermaidPage } from '../../src/saga/mermaid.js';

const folder = resolve(import.meta.dirname, '../../docs/machines');

describe('docs/machines', () => {
  it.each(BUILT_IN_MACHINES)(
    'shows $name as it is (npm run build && node scripts/write-machine-diagrams.mjs)',
    (machine) => {
      expect(readFileSync(join(folder, `${machine.name}.md`), 'utf8')).toBe(mermaidPage(machine));
    },
  );

  it('has no page without a machine', () => {
    expect(readdirSync(folder).sort()).toEqual(BUILT_IN_MACHINES.map(({ name }) => `${name}.md`).sort());
  });
});
