import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { FlagsError, readFlags, type Flags } from './flags.js';
import { MUTANTS } from './mutants/mutants.js';
import { reportLine, type MutantReport } from './mutant-run.js';
import { Schedule } from './schedule.js';
import { pairsOf, sweepPoints } from './sweep.js';
import { Tally, type Told } from './tally.js';
import type { Task } from './child.js';

const SHOWN_MAX = 20;
/** Fewer schedules need not have met every fault. */
const COVERED_FROM = 1_000;

/**
 * What a schedule leaves behind is dead at its end: with a large young generation hardly any of it is moved before. Traces
 * and source maps are for the history of a failing seed, which this process tells.
 */
const CHILD_FLAGS = ['--max-semi-space-size=64', '--stack-trace-limit=0'];

const PROGRESS_EVERY_MS = 60_000;
let isStopped = false;

/** In a process of its own: a core each, and a crash of one is seen. */
function inProcess<T>(task: Task, onMessage: (message: T) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('./child.js', import.meta.url)), { execArgv: CHILD_FLAGS });
    child.on('message', (message) => onMessage(message as T));
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0 || isStopped ? resolve() : reject(new Error(`a process ended with ${code}`)),
    );
    // Whoever ends a campaign early still wants to know what it found.
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        isStopped = true;
        child.kill();
      });
    child.send(task);
  });
}

async function runSeeds({ seed, seeds, workers, minutes }: Flags): Promise<boolean> {
  const [tally, startedAt] = [new Tally(), Date.now()];
  const untilMs = minutes > 0 ? startedAt + minutes * 60_000 : Number.MAX_SAFE_INTEGER;
  const processes = Array.from({ length: workers }, (_, index) => {
    const count = Math.ceil((seeds - index) / workers);
    return inProcess<Told>({ kind: 'seeds', from: seed + index, step: workers, count, untilMs }, (one) => {
      tally.add(one);
      if (one.violations.length > 0 && tally.failed.length <= SHOWN_MAX)
        console.log(`seed=${one.seed} ${one.violations[0]}`);
    });
  });
  const lines = (): string[] => tally.lines((Date.now() - startedAt) / 1_000);
  const progress = setInterval(() => console.log(lines()[0]), PROGRESS_EVERY_MS);
  await Promise.all(processes);
  clearInterval(progress);
  console.log(lines().join('\n'));
  const { missing, failed } = tally;
  if (missing.length > 0) console.log(`never hit: ${missing.join(', ')}`);
  const first = failed.map((one) => one.seed).sort((a, b) => a - b)[0];
  if (first !== undefined) await tell(first);
  return failed.length === 0 && (missing.length === 0 || tally.schedules < COVERED_FROM);
}

/** The history of one seed: the same as ever, with its lines. */
async function tell(seed: number): Promise<boolean> {
  const { history, violations } = await new Schedule({ seed, isTold: true }).run();
  console.log(history.join('\n'));
  console.log(`seed=${seed}`);
  for (const violation of violations) console.log(violation);
  return violations.length === 0;
}

async function runMutants({ seed, seeds, workers, only, enough }: Flags): Promise<boolean> {
  const names = MUTANTS.map(({ name }) => name).filter((name) => name.includes(only));
  const missed: string[] = [];
  const processes = Array.from({ length: workers }, (_, index) => {
    const own = names.filter((__, place) => place % workers === index);
    return inProcess<MutantReport>(
      { kind: 'mutants', names: own, seed, until: { seeds, caught: enough } },
      (report) => {
        console.log(reportLine(report));
        if (report.caught === 0) missed.push(report.name);
      },
    );
  });
  await Promise.all(processes);
  console.log(`${names.length - missed.length} of ${names.length} mutants were caught`);
  return missed.length === 0;
}

async function runSweep({ seed, workers, seeds }: Flags): Promise<boolean> {
  const points = await sweepPoints(seed);
  const all = pairsOf(points);
  // Fewer than all: evenly spread.
  const every = Math.max(1, Math.ceil(all.length / seeds));
  const pairs = all.filter((_, place) => place % every === 0);
  console.log(`${points.length} places to crash at, ${pairs.length} schedules`);
  const [tally, startedAt] = [new Tally(), Date.now()];
  const processes = Array.from({ length: workers }, (_, index) => {
    const own = pairs.filter((__, place) => place % workers === index);
    return inProcess<Told>({ kind: 'sweep', pairs: own, seed }, (one) => {
      tally.add(one);
      if (one.violations.length > 0 && tally.failed.length <= SHOWN_MAX)
        console.log(`seed=${one.seed} ${one.violations[0]}`);
    });
  });
  await Promise.all(processes);
  console.log(
    tally
      .lines((Date.now() - startedAt) / 1_000)
      .slice(0, 2)
      .join('\n'),
  );
  return tally.failed.length === 0;
}

try {
  const flags = readFlags(process.argv.slice(2));
  console.log(`seed=${flags.seed}`);
  const run = { seeds: runSeeds, mutants: runMutants, sweep: runSweep }[flags.mode];
  process.exitCode = (flags.isTold ? await tell(flags.seed) : await run(flags)) ? 0 : 1;
} catch (error) {
  console.error(error instanceof FlagsError ? error.message : error);
  process.exitCode = 3;
}
