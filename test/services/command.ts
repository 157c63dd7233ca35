export const SERVICE_NAMES = ['redis', 'valkey', 'mariadb', 'mysql', 'kafka', 'rocketmq'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

export type RedisLayout = 'single' | 'cluster' | 'sentinel';

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'install'; readonly names: readonly ServiceName[]; readonly yes: boolean }
  | {
      readonly kind: 'up';
      readonly names: readonly ServiceName[];
      readonly brokers: number;
      readonly redis: RedisLayout;
      readonly isNative: boolean;
      readonly yes: boolean;
    }
  | { readonly kind: 'down'; readonly names: readonly ServiceName[]; readonly withData: boolean }
  | { readonly kind: 'status'; readonly names: readonly ServiceName[]; readonly json: boolean };

/** The command was not understood. */
export class UsageError extends Error {
  readonly code = 'SERVICES_USAGE';
}

const BROKERS_MAX = 3;
/** What each command takes beside names. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  up: ['--brokers', '--cluster', '--sentinel', '--native', '--yes'],
  install: ['--yes'],
  down: ['--data', '--volumes'],
  status: ['--json'],
};

export function parseCommand(args: readonly string[]): Command {
  const [verb, ...rest] = args;
  if (verb === undefined || verb === 'help' || args.includes('--help') || args.includes('-h')) return { kind: 'help' };
  const known = OPTIONS[verb];
  if (known === undefined) throw new UsageError(`there is no "${verb}": up, down, status, install or --help`);
  const names: ServiceName[] = [];
  const given = new Set<string>();
  let brokers = 1;
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at]!;
    if (!word.startsWith('--')) {
      names.push(serviceName(word));
      continue;
    }
    const [option, inline] = word.split('=', 2) as [string, string | undefined];
    if (!known.includes(option)) throw new UsageError(`"${verb}" does not take ${option}`);
    if (option === '--brokers') brokers = brokerCount(inline ?? rest[(at += 1)]);
    else if (inline !== undefined) throw new UsageError(`${option} takes no value`);
    given.add(option);
  }
  const chosen = names.length > 0 ? [...new Set(names)] : [...SERVICE_NAMES];
  return commandOf(verb, chosen, given, brokers);
}

function commandOf(verb: string, names: readonly ServiceName[], given: ReadonlySet<string>, brokers: number): Command {
  switch (verb) {
    case 'install':
      return { kind: 'install', names, yes: given.has('--yes') };
    case 'down':
      return { kind: 'down', names, withData: given.has('--data') || given.has('--volumes') };
    case 'status':
      return { kind: 'status', names, json: given.has('--json') };
    default:
      return { ...upOf(names, given), brokers };
  }
}

function upOf(names: readonly ServiceName[], given: ReadonlySet<string>): Extract<Command, { kind: 'up' }> {
  if (given.has('--brokers') && !names.includes('kafka')) throw new UsageError('--brokers is for kafka');
  if (given.has('--cluster') && given.has('--sentinel'))
    throw new UsageError('--cluster and --sentinel exclude each other');
  const redis = given.has('--cluster') ? 'cluster' : given.has('--sentinel') ? 'sentinel' : 'single';
  if (redis !== 'single' && !names.includes('redis')) throw new UsageError(`--${redis} is for redis`);
  return { kind: 'up', names, brokers: 1, redis, isNative: given.has('--native'), yes: given.has('--yes') };
}

function serviceName(word: string): ServiceName {
  const name = SERVICE_NAMES.find((one) => one === word);
  if (name === undefined) throw new UsageError(`there is no service "${word}": ${SERVICE_NAMES.join(', ')}`);
  return name;
}

function brokerCount(text: string | undefined): number {
  const count = Number(text);
  // A quorum of controllers is odd.
  if (count !== 1 && count !== BROKERS_MAX) throw new UsageError(`--brokers is 1 or ${BROKERS_MAX}`);
  return count;
}
