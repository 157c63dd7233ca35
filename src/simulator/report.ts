import type { Audit, Finding } from './audit.js';
import type { SendReport } from './sender.js';
import type { Settlement } from './settlement.js';

export interface RunResult {
  readonly seed: number;
  readonly eventCount: number;
  readonly send: SendReport;
  readonly settlement: Settlement;
  readonly audit: Audit;
}

const EXAMPLES_MAX = 5;
const PROBLEMS = ['lost', 'doubled', 'mismatched', 'wrongMoves', 'inversions', 'unfinished'] as const;
/** Shown with examples too, but no breach of a promise. */
const REMARKS = ['unexpectedDead'] as const;
const SHOWN = [...PROBLEMS, ...REMARKS] as const;

/** The result as numbers and a few examples: what `--json` prints, and what the table is made from. */
export function summarize(run: RunResult) {
  const { send, audit, settlement } = run;
  const status = (...names: string[]): number => names.reduce((sum, name) => sum + (audit.statuses.get(name) ?? 0), 0);
  const answeredEvents = send.answeredByEvent.reduce((sum, count) => sum + Math.min(count, 1), 0);
  const counts = {
    events: run.eventCount,
    deliveries: send.deliveryCount,
    sent: send.sentCount,
    answered: send.answeredCount,
    unanswered: send.unansweredCount,
    answeredEvents,
    duplicates: send.answeredCount - answeredEvents,
    applied: status('APPLIED'),
    stale: status('STALE'),
    rejected: status('REJECTED'),
    expired: status('EXPIRED'),
    discarded: status('DISCARDED'),
    dead: status('DEAD'),
    unexpectedDead: audit.unexpectedDead.length,
    waiting: status('RETRY', 'PARKED', 'REDRIVEN'),
    lost: audit.lost.length,
    doubled: audit.doubled.length,
    mismatched: audit.mismatched.length,
    wrongMoves: audit.wrongMoves.length,
    inversions: audit.inversions.length,
    unfinished: audit.unfinished.length,
  };
  return {
    // A run in which nothing was answered shows nothing, and while the transport holds messages a double may yet come.
    ok:
      PROBLEMS.every((name) => audit[name].length === 0) &&
      answeredEvents > 0 &&
      settlement.transport !== 'holding' &&
      settlement.trouble === null,
    seed: run.seed,
    ...counts,
    answeredPerSecond: Math.round(send.answeredPerSecond),
    latencyMs: latencies(send.latenciesMs),
    failures: Object.fromEntries(send.failures),
    transport: settlement.transport,
    trouble: settlement.trouble,
    examples: Object.fromEntries(SHOWN.map((name) => [name, audit[name].slice(0, EXAMPLES_MAX)])),
  };
}

export type RunSummary = ReturnType<typeof summarize>;

/** The table that a person reads. */
export function renderTable(result: RunSummary): string {
  const { p50, p99, max } = result.latencyMs;
  const failures = Object.entries(result.failures).map(([reason, count]) => `${reason} ${count}`);
  const rows: (readonly [string, number, string])[] = [
    ['events', result.events, 'distinct'],
    ['sent', result.sent, `requests for ${result.deliveries} deliveries`],
    ['answered', result.answered, 'deliveries answered success'],
    ['unanswered', result.unanswered, 'deliveries given up after the last retry'],
    ['duplicates', result.duplicates, 'answered deliveries of an event already answered'],
    ['applied', result.applied, ''],
    ['stale', result.stale, 'older than what was applied'],
    ['rejected', result.rejected, 'impossible for the entity as it stands'],
    ...(result.expired > 0 ? [['expired', result.expired, ''] as const] : []),
    ...(result.discarded > 0 ? [['discarded', result.discarded, 'by an operator'] as const] : []),
    ['dead', result.dead, `dead letters: wait for an operator; ${result.unexpectedDead} not meant to be`],
    ['waiting', result.waiting, 'for a retry, or behind another event'],
    ['lost', result.lost, 'answered and gone: must be 0'],
    ['doubled', result.doubled, 'more than one effect: must be 0'],
    ['mismatched', result.mismatched, 'row and effect differ: must be 0'],
    ['wrong moves', result.wrongMoves, 'an effect that the state machine does not allow: must be 0'],
    ['inversions', result.inversions, 'a late event undid a newer one: must be 0'],
    ['unfinished', result.unfinished, 'no end within --settle-timeout: must be 0'],
  ];
  return [
    '',
    ...rows.map(([name, count, meaning]) => `${name.padEnd(12)}${String(count).padStart(9)}  ${meaning}`.trimEnd()),
    '',
    `answers: ${result.answeredPerSecond} a second, p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`,
    ...(failures.length > 0 ? [`unanswered requests: ${failures.join(', ')}`] : []),
    ...SHOWN.flatMap((name) => examplesOf(name, result.examples[name] ?? [])),
    ...(result.trouble === null ? [] : [`the last look at the service failed: ${result.trouble}`]),
    ...(result.transport === 'holding' ? ['transport or spool still hold messages: raise --settle-timeout'] : []),
    verdict(result),
    '',
  ].join('\n');
}

function verdict(result: RunSummary): string {
  if (result.ok) return 'OK: nothing lost, nothing doubled, no inversion.';
  if (result.answeredEvents === 0) return 'FAILED: not one delivery was answered.';
  return `FAILED. Play it again with --seed ${result.seed}`;
}

function examplesOf(name: string, findings: readonly Finding[]): string[] {
  return findings.map(
    ({ eventKey, entityKey, detail }) => `${name}: event ${eventKey}, entity ${entityKey ?? 'none'}: ${detail}`,
  );
}

function latencies(sorted: Float64Array): { p50: number; p99: number; max: number } {
  const at = (share: number): number => {
    const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
    return Math.round(value * 10) / 10;
  };
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
