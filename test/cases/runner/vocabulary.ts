import { UnsupportedError } from './verdict.js';

export interface Expectation {
  readonly answer?: 'ack' | 'nack' | 'reject';
  readonly connection?: 'broken';
  readonly anyOf?: readonly Expectation[];
  readonly status?: number;
  readonly statusIn?: readonly number[];
  readonly bodyExact?: string;
  readonly contentTypeStarts?: string;
  readonly contentLength?: number;
  readonly noHeader?: readonly string[];
  readonly notHtml?: boolean;
  readonly noStack?: boolean;
  readonly maxMs?: number;
  /** Of `admin` steps. */
  readonly count?: number;
  readonly outcome?: string;
  readonly outcomeIn?: readonly string[];
  /** Of `startWith`. */
  readonly refusedNaming?: string;
}

export interface Step {
  readonly do: string;
  readonly what?: string;
  readonly action?: string;
  readonly expect?: Expectation;
  readonly steps?: readonly Step[];
  readonly step?: Step;
  readonly [field: string]: any;
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly profiles?: string;
  readonly steps: readonly Step[];
}

const SCENARIO = ['schema', 'id', 'title', 'where', 'profiles', 'steps', 'outcome', 'about', 'note', 'level'];
const SCHEMA = 'wecom-case/1';
const ANSWERS = ['ack', 'nack', 'reject'];
const HTTP_EXPECT = [
  ...['answer', 'connection', 'anyOf', 'status', 'statusIn', 'bodyExact', 'contentTypeStarts', 'contentLength'],
  ...['noHeader', 'notHtml', 'noStack', 'maxMs'],
];

/** Fields of each step beside `do`, `delayMs` and comments. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  verify: ['app', 'plain', 'encode', 'needsIn', 'seal', 'mutate', 'extraQuery', 'headers', 'instance', 'expect'],
  callback: [
    ...['app', 'xml', 'text', 'gen', 'seal', 'mutate', 'extraQuery', 'headers', 'chunks', 'instance'],
    ...['senderTimeoutMs', 'expect'],
  ],
  request: ['method', 'target', 'headers', 'bodyText', 'bodyFile', 'instance', 'expect'],
  redeliver: ['ref', 'via', 'to'],
  parallel: ['steps'],
  parallelRepeat: ['times', 'step'],
  repeat: ['times', 'step', 'withinMs'],
  'bus.put': ['raw', 'value', 'copyOf', 'add', 'gen', 'toDlq'],
  settle: ['maxMs'],
  wait: ['ms'],
  until: ['ready', 'maxMs'],
  startWith: ['app', 'set', 'expect'],
};

const HANDLER = ['match', 'times'];
const FAULTS: Readonly<Record<string, readonly string[]>> = {
  'redis.down': ['at'],
  'redis.up': [],
  'redis.readonly': ['at'],
  'redis.writable': [],
  'redis.flushall': ['at'],
  'redis.scriptFlush': ['at'],
  'redis.deleteGuardKey': ['ref', 'at'],
  'redis.bypassGuard': [],
  'broker.down': [],
  'broker.up': [],
  'broker.slow': ['ackDelayMs'],
  'broker.holdPublish': ['ms', 'then', 'times'],
  'broker.rejectPublish': ['times'],
  'broker.dropReply': ['times'],
  'broker.normal': [],
  'bus.sessionTimeoutMs': ['value'],
  'bus.loseAck': ['match'],
  'dlq.reject': [],
  'dlq.accept': [],
  'db.down': [],
  'db.up': [],
  'db.restart': [],
  'db.killConnections': [],
  'db.waitTimeout': ['seconds'],
  'db.raise': ['errno', 'times'],
  'db.flag': ['FOUND_ROWS'],
  ...Object.fromEntries(
    ['gateway', 'consumer'].flatMap((process) => [
      [`${process}.kill9`, ['at', 'instance']],
      ...['sigterm', 'start', 'stop'].map((verb): [string, string[]] => [`${process}.${verb}`, ['instance']]),
    ]),
  ),
  'handler.fail': HANDLER,
  'handler.failFor': HANDLER,
  'handler.slow': [...HANDLER, 'ms'],
  'handler.slowFor': [...HANDLER, 'ms'],
  'handler.stall': [...HANDLER, 'ms', 'then'],
  'handler.blockLoop': [...HANDLER, 'ms'],
  'handler.pauseBeforeWrite': [...HANDLER, 'ms'],
  'handler.normal': [],
  'guard.leaseMs': ['value'],
  'clock.freeze': ['at'],
  'clock.normal': [],
  'stack.fresh': ['brokerDelayMs'],
};

const COUNTED = ['count', 'min', 'max', 'countIn'];
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  published: [...COUNTED, 'match'],
  eventLog: [...COUNTED, 'match', 'xmlListLength', 'fieldsNot'],
  effects: [...COUNTED, 'match', 'exactlyOneIfAnyAck'],
  effectsPerEvent: ['min', 'max', 'match'],
  ackedButLost: COUNTED,
  entity: ['key', 'state', 'lastEventTime'],
  entityVersions: ['equalsAppliedChanges'],
  lostUpdates: COUNTED,
  dlq: [...COUNTED, 'match', 'fields', 'attemptsMax'],
  guardKey: ['state', 'ref'],
  concurrentHandlers: ['max'],
  concurrentHandlersPerEvent: ['max'],
  alive: ['process'],
  live: ['process', 'status', 'maxMs'],
  ready: ['process', 'value', 'degraded', 'maxMs'],
  exit: ['process', 'withinMs', 'code'],
  restarts: ['max', 'process'],
  logs: ['mustContain', 'mustNotContain'],
  audit: ['users'],
  consoleJson: ['field', 'exact'],
  memoryGrowthMb: ['process', 'max'],
  latency: ['ref', 'maxMs'],
  rebalances: ['max'],
  replayReport: ['sums', 'queuedMax'],
};

const ADMIN: Readonly<Record<string, readonly string[]>> = {
  view: ['ref', 'id', 'viaProxy', 'user'],
  search: ['q', 'viaProxy', 'user'],
  replay: ['ref', 'id', 'ifInDlq', 'viaProxy', 'user'],
  replayAll: ['user', 'filter', 'limit', 'ratePerSecond'],
  replayStop: ['user'],
  note: ['ref', 'id', 'text', 'user', 'chunks'],
};
const ADMIN_EXPECT = ['status', 'statusIn', 'count', 'outcome', 'outcomeIn', 'maxMs'];

const SEAL = ['receiveId', 'timestamp', 'nonce', 'token', 'encodingAESKey', 'envelope'];
const GENERATED: Readonly<Record<string, readonly string[]>> = {
  text: ['bytes', 'uniqueMsgId'],
  approval: ['approvers'],
  'approval-change': ['spNo', 'to'],
  contact: ['sameEntityGroup'],
};
const EVERY_STEP = ['do', 'delayMs', 'about', 'note', 'why'];

/** Names what is not known here, so that nothing a case asks for is passed over in silence. */
export function onlyKnown(value: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new UnsupportedError(`${what}: ${unknown.join(', ')} is not known here`);
}

/** Throws `UnsupportedError` when a scenario says anything that this runner would not act upon. */
export function checkVocabulary(scenario: Scenario): void {
  onlyKnown(scenario, SCENARIO, 'scenario');
  const schema = (scenario as unknown as { schema?: string }).schema ?? SCHEMA;
  if (schema !== SCHEMA) throw new UnsupportedError(`schema ${schema} is not known here`);
  for (const step of scenario.steps) checkStep(step);
}

function checkStep(step: Step): void {
  if (step.do === 'fault') {
    onlyKnown(step, [...EVERY_STEP, 'what', ...knownOf(FAULTS, step.what, 'fault')], `fault ${step.what}`);
    return;
  }
  if (step.do === 'check') {
    onlyKnown(step, [...EVERY_STEP, 'what', ...knownOf(CHECKS, step.what, 'check')], `check ${step.what}`);
    return;
  }
  if (step.do === 'admin') {
    onlyKnown(
      step,
      [...EVERY_STEP, 'action', 'expect', ...knownOf(ADMIN, step.action, 'admin action')],
      `admin ${step.action}`,
    );
    onlyKnown(step.expect ?? {}, ADMIN_EXPECT, `expectation of admin ${step.action}`);
    return;
  }
  onlyKnown(step, [...EVERY_STEP, ...knownOf(STEPS, step.do, 'step')], `step ${step.do}`);
  if (step.do === 'startWith') onlyKnown(step.expect ?? {}, ['refusedNaming'], 'expectation of startWith');
  else checkExpectation(step.expect ?? {}, step.do);
  onlyKnown(step['seal'] ?? {}, SEAL, 'seal');
  onlyKnown(step['chunks'] ?? {}, ['everyBytes', 'overMs'], 'chunks');
  if (step.do === 'callback' && step['gen'] !== undefined) {
    const { kind } = step['gen'] as { kind?: string };
    onlyKnown(step['gen'] as object, ['kind', ...knownOf(GENERATED, kind, 'generator')], `generator ${kind}`);
  }
  if (!['percent', undefined].includes(step['encode'] as string | undefined))
    throw new UnsupportedError(`encode ${step['encode']} is not known here`);
  for (const inner of [...(step.steps ?? []), ...(step.step ? [step.step] : [])]) checkStep(inner);
}

function checkExpectation(expectation: Expectation, where: string): void {
  onlyKnown(expectation, HTTP_EXPECT, `expectation of ${where}`);
  if (expectation.answer !== undefined && !ANSWERS.includes(expectation.answer))
    throw new UnsupportedError(`answer ${String(expectation.answer)} is not known here`);
  if (expectation.connection !== undefined && expectation.connection !== 'broken')
    throw new UnsupportedError(`connection ${String(expectation.connection)} is not known here`);
  for (const one of expectation.anyOf ?? []) checkExpectation(one, where);
}

function knownOf(table: Readonly<Record<string, readonly string[]>>, name: string | undefined, kind: string) {
  const fields = name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
  if (!fields) throw new UnsupportedError(`${kind} ${name} is not known here`);
  return fields;
}
