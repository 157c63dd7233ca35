import { parseArgs } from 'node:util';

export interface Flags {
  /** At least one: gateways that share the load. */
  readonly targets: readonly string[];
  readonly admin: string;
  readonly dataFolder: string;
  /** Null: the demo app's file in the data folder. */
  readonly appsFile: string | null;
  readonly app: string;
  readonly count: number;
  readonly duplicates: number;
  readonly isShuffled: boolean;
  readonly window: number;
  /** Deliveries a second; 0: as fast as they are answered. */
  readonly rate: number;
  readonly concurrency: number;
  readonly seed: number;
  readonly retries: number;
  readonly retryAfterMs: number;
  readonly timeoutMs: number;
  readonly settleTimeoutMs: number;
  readonly failShare: number;
  readonly hangUpShare: number;
  readonly isJson: boolean;
}

export type ParsedFlags =
  | { readonly kind: 'run'; readonly flags: Flags }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly reason: string };

/** Name → smallest, largest and default value; null: drawn by `parseFlags`. */
const WHOLE_NUMBERS = {
  // All events and what became of them are kept in memory until the end of the run.
  count: [1, 200_000, 1_000],
  duplicates: [0, 20, 1],
  window: [2, 100_000, 200],
  rate: [0, 100_000, 0],
  concurrency: [1, 1_000, 32],
  seed: [0, 4_294_967_295, null],
  retries: [0, 100, 3],
  'retry-after': [0, 600_000, 5_000],
  timeout: [1, 600_000, 5_000],
  'settle-timeout': [1, 86_400, 120],
} as const;
type WholeNumber = keyof typeof WHOLE_NUMBERS;

const TARGET = 'http://127.0.0.1:3000';

const OPTIONS = {
  target: { type: 'string', multiple: true },
  admin: { type: 'string', default: 'http://127.0.0.1:3001' },
  data: { type: 'string' },
  apps: { type: 'string' },
  app: { type: 'string', default: 'demo' },
  shuffle: { type: 'boolean', default: false },
  'fail-share': { type: 'string', default: '0.02' },
  'hang-up-share': { type: 'string', default: '0.01' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  count: { type: 'string' },
  duplicates: { type: 'string' },
  window: { type: 'string' },
  rate: { type: 'string' },
  concurrency: { type: 'string' },
  seed: { type: 'string' },
  retries: { type: 'string' },
  'retry-after': { type: 'string' },
  timeout: { type: 'string' },
  'settle-timeout': { type: 'string' },
} as const;

class WrongFlagError extends Error {
  readonly code = 'SIMULATOR_WRONG_FLAG';
}

/** `freshSeed` is taken when no seed is given. */
export function parseFlags(args: readonly string[], env: NodeJS.ProcessEnv, freshSeed: number): ParsedFlags {
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false });
    if (values.help) return { kind: 'help' };
    const whole = (name: WholeNumber): number => wholeNumber(name, values[name], freshSeed);
    const flags: Flags = {
      targets: (values.target ?? [TARGET]).map((text) => baseUrl('target', text)),
      admin: baseUrl('admin', values.admin),
      dataFolder: values.data ?? env['DATA_DIR'] ?? './data',
      appsFile: values.apps ?? env['WECOM_APPS_FILE'] ?? null,
      app: values.app,
      count: whole('count'),
      duplicates: whole('duplicates'),
      isShuffled: values.shuffle,
      window: whole('window'),
      rate: whole('rate'),
      concurrency: whole('concurrency'),
      seed: whole('seed'),
      retries: whole('retries'),
      retryAfterMs: whole('retry-after'),
      timeoutMs: whole('timeout'),
      settleTimeoutMs: whole('settle-timeout') * 1_000,
      failShare: share('fail-share', values['fail-share']),
      hangUpShare: share('hang-up-share', values['hang-up-share']),
      isJson: values.json,
    };
    return { kind: 'run', flags };
  } catch (error) {
    // parseArgs throws errors of Node's own for what it does not know; their text names the flag.
    return { kind: 'wrong', reason: error instanceof Error ? error.message : String(error) };
  }
}

function wholeNumber(name: WholeNumber, text: string | undefined, freshSeed: number): number {
  const [min, max, fallback] = WHOLE_NUMBERS[name];
  if (text === undefined) return fallback ?? freshSeed;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new WrongFlagError(`--${name} has to be a whole number from ${min} to ${max}, not "${text}"`);
  }
  return value;
}

function share(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1)) {
    throw new WrongFlagError(`--${name} has to be a number from 0 to 1, not "${text}"`);
  }
  return value;
}

/** Without the slash at the end: paths are appended, so that a service behind a path prefix can be reached too. */
function baseUrl(name: string, text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new WrongFlagError(`--${name} has to be an address like http://127.0.0.1:3000, not "${text}"`);
  }
  return text.replace(/\/+$/, '');
}
