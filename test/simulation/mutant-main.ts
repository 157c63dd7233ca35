import { MUTANTS } from './mutants/mutants.js';
import { reportLine, runMutant } from './mutant-run.js';

const only = process.argv[2] ?? '';
const max = Number(process.argv[3] ?? 60);
process.on('unhandledRejection', () => undefined);
for (const mutant of MUTANTS) {
  if (!mutant.name.includes(only)) continue;
  console.log(reportLine(await runMutant(mutant, 1, max)));
}
