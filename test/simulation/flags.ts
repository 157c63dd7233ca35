export interface Flags {
  readonly seeds: number;
  readonly minutes: number;
  readonly seed: number;
  readonly workers: number;
  /** How often a mutant has to be caught before the next one's turn. */
  readonly enough: number;
  readonly mode: 'seeds' | 'mutants' | 'sweep';
  /** Part of a mutant's name. */
  readonly only: string;
  /** Prints the history of the first seed and stops. */
  readonly isTold: boolean;
}

const USAGE = `npm run test:sim -- [--seeds N] [--minutes M] [--seed S] [--workers W] [--tell] [--mutants | --sweep]
                     [--only NAME] [--enough N]
  --seeds N     schedules to run (with --mutants: the most for each of them; with --sweep: all if not given)
  --minutes M   stop after so long, whatever is left
  --seed S      the first seed; each schedule has one of its own
  --workers W   processes side by side
  --tell        print the history of that one seed
  --mutants     run wrong products, each until it was caught five times, or --enough N times
  --sweep       crash at every labelled call, before and after it, and at all pairs of them`;

/** The hardest to catch needs about a hundred: by then it was caught with near certainty. */
const MUTANT_SEEDS_MAX = 1_000;

export class FlagsError extends Error {
  readonly code = 'SIMULATION_FLAGS_INVALID';

  constructor(reason: string) {
    super(`${reason}\n${USAGE}`);
    this.name = 'FlagsError';
  }
}

export function readFlags(args: readonly string[]): Flags {
  const numbers: Record<string, number> = { seeds: 0, minutes: 0, seed: 1, workers: 2, enough: 5 };
  let mode: Flags['mode'] = 'seeds';
  let [isTold, only] = [false, ''];
  for (let index = 0; index < args.length; index += 1) {
    const name = (args[index] ?? '').replace(/^--/, '');
    const value = args[index + 1] ?? '';
    if (name === 'mutants' || name === 'sweep') mode = name;
    else if (name === 'tell') isTold = true;
    else if (name === 'only') [only, index] = [value, index + 1];
    else if (Object.hasOwn(numbers, name) && /^\d+(\.\d+)?$/.test(value))
      [numbers[name], index] = [Number(value), index + 1];
    else throw new FlagsError(`not understood: ${args[index] ?? ''} ${value}`);
  }
  const { seeds = 0, minutes = 0, seed = 1, workers = 2, enough = 5 } = numbers;
  const seedsMax =
    seeds > 0
      ? seeds
      : minutes > 0
        ? Number.MAX_SAFE_INTEGER
        : mode === 'mutants'
          ? MUTANT_SEEDS_MAX
          : mode === 'sweep'
            ? Number.MAX_SAFE_INTEGER
            : 200;
  return { seeds: seedsMax, minutes, seed, workers: Math.max(1, Math.floor(workers)), enough, mode, only, isTold };
}
