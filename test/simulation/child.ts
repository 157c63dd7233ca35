import { MUTANTS } from './mutants/mutants.js';
import { runMutant, type MutantReport, type Until } from './mutant-run.js';
import { Schedule } from './schedule.js';
import { sweepPair, type Pair } from './sweep.js';
import { told, type Told } from './tally.js';

/** What a process is asked for. */
export type Task =
  | {
      readonly kind: 'seeds';
      readonly from: number;
      readonly step: number;
      readonly count: number;
      readonly untilMs: number;
    }
  | { readonly kind: 'mutants'; readonly names: readonly string[]; readonly seed: number; readonly until: Until }
  | { readonly kind: 'sweep'; readonly pairs: readonly Pair[]; readonly seed: number };

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function measured(run: () => Promise<Told>): Promise<Told> {
  const before = cpuMs();
  const one = await run();
  return { ...one, cpuMs: cpuMs() - before };
}

function send(message: Told | MutantReport): void {
  process.send?.(message);
}

async function run(task: Task): Promise<void> {
  switch (task.kind) {
    case 'seeds':
      for (let index = 0; index < task.count && Date.now() < task.untilMs; index += 1) {
        const seed = task.from + index * task.step;
        send(await measured(async () => told(await new Schedule({ seed }).run(), 0)));
      }
      break;
    case 'mutants':
      for (const name of task.names) {
        const mutant = MUTANTS.find((one) => one.name === name);
        if (mutant) send(await runMutant(mutant, task.seed, task.until));
      }
      break;
    case 'sweep':
      for (const pair of task.pairs) send(await measured(() => sweepPair(pair, task.seed)));
  }
}

process.once('message', (task: Task) => {
  // A wrong product may leave a rejection to nobody; the right one must not.
  if (task.kind === 'mutants') process.on('unhandledRejection', () => undefined);
  void run(task).then(() => process.disconnect());
});
