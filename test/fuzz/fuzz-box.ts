/** How long each test draws, and from which seed. By hand: `FUZZ_SECONDS=600 FUZZ_SEED=7 npm run test:fuzz`. */
export interface FuzzBox {
  readonly seed: number;
  /** Numbers of rounds until the time is up. */
  rounds(): Generator<number>;
}

const SECONDS_DEFAULT = 15;

export function fuzzBox(): FuzzBox {
  const seconds = Number(process.env['FUZZ_SECONDS'] ?? SECONDS_DEFAULT);
  const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`fuzzing for ${seconds} s a test with FUZZ_SEED=${seed}\n`);
  return {
    seed,
    *rounds() {
      const end = performance.now() + seconds * 1_000;
      for (let round = 0; performance.now() < end; round += 1) yield round;
    },
  };
}
