// Writes docs/machines/<name>.md from the built state machines. Build first; a test fails when a page is stale.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const built = (path) => import(pathToFileURL(join(root, 'dist', 'src', path)).href);
const { BUILT_IN_MACHINES } = await built('handlers/built-in-machines.js');
const { mermaidPage } = await built('saga/mermaid.js');

const folder = join(root, 'docs', 'machines');
mkdirSync(folder, { recursive: true });
for (const machine of BUILT_IN_MACHINES) {
  writeFileSync(join(folder, `${machine.name}.md`), mermaidPage(machine));
  console.log(`docs/machines/${machine.name}.md`);
}
