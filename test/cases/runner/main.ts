import 'reflect-metadata';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runCryptoCase } from './crypto-case.js';
import { GUARDS, STORES, TRANSPORTS, type Engines } from './engines.js';
import { readProfiles, type Profiles } from './profiles.js';
import { checkScenario, instancesOf, ScenarioCase } from './scenario-case.js';
import { Servers, Stack } from './stack.js';
import type { Scenario } from './vocabulary.js';
import { verdictOf, type CaseReport } from './verdict.js';
import { runXmlCase } from './xml-case.js';

const USAGE = `usage: npm run test:cases -- [--dir <folder>] [--only <pattern>] [--json <file>]
         [--jobs <n>] [--guard ${GUARDS.join('|')}] [--store ${STORES.join('|')}] [--transport ${TRANSPORTS.join('|')}]`;
const JOBS_MAX = 16;
const ROOT = resolve(import.meta.dirname, '../../../..');
const DEFAULT_DIRS = [resolve(ROOT, '../shared/cases'), join(ROOT, 'test/cases/inputs')];

interface Case {
  readonly id: string;
  readonly title: string;
  run(servers: () => Promise<Servers>): Promise<readonly string[]>;
}

interface Options {
  readonly inputs: string;
  readonly only: RegExp;
  readonly json: string | undefined;
  readonly engines: Engines;
  /** Cases side by side, each job on servers of its own. */
  readonly jobs: number;
}

class UsageError extends Error {}

/** The folder itself, or the one of its inputs. */
function inputsOf(dir: string | undefined): string {
  const folder = dir === undefined ? DEFAULT_DIRS.find((path) => existsSync(path)) : resolve(dir);
  const inputs = [folder ?? '', join(folder ?? '', 'inputs')].find((path) =>
    ['scenarios', 'xml', 'crypto'].some((name) => existsSync(join(path, name))),
  );
  if (inputs === undefined) throw new UsageError(`${folder} holds no scenarios, xml or crypto`);
  return inputs;
}

function optionsFrom(args: string[]): Options {
  const text = { type: 'string' } as const;
  const engine = (name: string, value: string, known: readonly string[]): string => {
    if (!known.includes(value)) throw new UsageError(`--${name} ${value}: known are ${known.join(', ')}`);
    return value;
  };
  let values;
  try {
    const options = { dir: text, only: text, json: text, jobs: text, guard: text, store: text, transport: text };
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  return {
    inputs: inputsOf(values.dir),
    only: new RegExp(values.only ?? ''),
    json: values.json,
    jobs: jobsFrom(values.jobs ?? '1'),
    engines: {
      guard: engine('guard', values.guard ?? 'redis', GUARDS),
      store: engine('store', values.store ?? 'sqlite', STORES),
      transport: engine('transport', values.transport ?? 'sqlite', TRANSPORTS),
    },
  };
}

function jobsFrom(given: string): number {
  const jobs = Number(given);
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > JOBS_MAX)
    throw new UsageError(`--jobs ${given}: a number from 1 to ${JOBS_MAX}`);
  return jobs;
}

function namesIn(folder: string, end: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .sort();
}

function casesOf({ inputs, engines }: Options, profiles: Profiles): Case[] {
  const xml = namesIn(join(inputs, 'xml'), '.expect.json').map((name): Case => ({
    id: basename(name, '.expect.json'),
    title: 'decrypted text',
    run: async () => (runXmlCase(join(inputs, 'xml', name)), []),
  }));
  const crypto = namesIn(join(inputs, 'crypto'), '.json').map((name): Case => ({
    id: basename(name, '.json'),
    title: 'fixed vectors',
    run: async () => (runCryptoCase(join(inputs, 'crypto', name), profiles), []),
  }));
  const scenarios = namesIn(join(inputs, 'scenarios'), '.json').map((name): Case => {
    const scenario = JSON.parse(readFileSync(join(inputs, 'scenarios', name), 'utf8')) as Scenario;
    return {
      id: scenario.id ?? basename(name, '.json'),
      title: scenario.title ?? '',
      run: (servers) => runScenario(scenario, inputs, engines, servers),
    };
  });
  return [...crypto, ...xml, ...scenarios];
}

async function runScenario(
  scenario: Scenario,
  inputs: string,
  engines: Engines,
  servers: () => Promise<Servers>,
): Promise<readonly string[]> {
  const profilesPath = join(inputs, scenario.profiles ?? 'profiles.json');
  const profiles = readProfiles(profilesPath);
  const notes = checkScenario(scenario, engines, profiles);
  const stack = await Stack.start(await servers(), profilesPath, instancesOf(scenario));
  try {
    await new ScenarioCase(stack, profiles, inputs).run(scenario);
  } finally {
    const keep = process.env['KEEP_OUTPUT'];
    if (keep !== undefined) writeFileSync(join(keep, `${scenario.id}.log`), stack.output);
    await stack.stop();
  }
  return notes;
}

async function runCase(one: Case, servers: () => Promise<Servers>): Promise<CaseReport> {
  const begun = performance.now();
  const { id, title } = one;
  try {
    const notes = await one.run(servers);
    return { id, title, verdict: { kind: 'passed' }, notes, ms: performance.now() - begun };
  } catch (error) {
    return { id, title, verdict: verdictOf(error), notes: [], ms: performance.now() - begun };
  }
}

function lineOf({ id, title, verdict, notes, ms }: CaseReport): string {
  const reason = verdict.kind === 'passed' ? notes.join('; ') : verdict.reason;
  const seconds = `${(ms / 1000).toFixed(1)} s`.padStart(8);
  const head = `${verdict.kind.padEnd(11)} ${id.padEnd(34)} ${seconds}  ${title}`;
  return reason === '' ? head : `${head}\n${''.padEnd(12)}${reason.replaceAll('\n', `\n${''.padEnd(12)}`)}`;
}

/** Takes cases until none is left. Its servers start with the first case that needs them. */
async function runJob(engines: Engines, waiting: Case[], reports: CaseReport[]): Promise<void> {
  let started: Promise<Servers> | null = null;
  const servers = (): Promise<Servers> => (started ??= Servers.start(engines));
  try {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const report = await runCase(one, servers);
      reports.push(report);
      console.log(lineOf(report));
    }
  } finally {
    await (started as Promise<Servers> | null)?.then((all) => all.stop());
  }
}

async function main(args: string[]): Promise<number> {
  const options = optionsFrom(args);
  const { guard, store, transport } = options.engines;
  console.log(`Cases in ${options.inputs}; guard ${guard}, store ${store}, transport ${transport}`);
  const profilesPath = join(options.inputs, 'profiles.json');
  const profiles = existsSync(profilesPath) ? readProfiles(profilesPath) : {};
  const cases = casesOf(options, profiles).filter(({ id }) => options.only.test(id));
  if (cases.length === 0) throw new UsageError('no case fits --only');
  const reports: CaseReport[] = [];
  const waiting = [...cases];
  await Promise.all(Array.from({ length: options.jobs }, () => runJob(options.engines, waiting, reports)));
  reports.sort((a, b) => cases.findIndex(({ id }) => id === a.id) - cases.findIndex(({ id }) => id === b.id));
  const count = (kind: string): number => reports.filter(({ verdict }) => verdict.kind === kind).length;
  const [passed, failed, unsupported] = ['passed', 'failed', 'unsupported'].map(count);
  console.log(`${passed} passed, ${failed} failed, ${unsupported} unsupported`);
  if (options.json !== undefined)
    writeFileSync(
      options.json,
      `${JSON.stringify({ engines: options.engines, passed, failed, unsupported, cases: reports }, null, 2)}\n`,
    );
  return failed === 0 ? 0 : 1;
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n${USAGE}`);
  process.exit(2);
}
