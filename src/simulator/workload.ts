import { ApprovalHistory } from './approval-history.js';
import { GroupHistory } from './group-history.js';
import type { History, Surroundings } from './history.js';
import { failingEvent, type FailingEvent, textMessage, unknownEvent } from './loose-events.js';
import { RelationHistory } from './relation-history.js';
import { RunIds } from './run-ids.js';
import { SeededRandom } from './seeded-random.js';

/** `endsDead` only where the workload means it to. */
export type WorkloadEvent = FailingEvent;

export interface WorkloadOptions {
  readonly seed: number;
  readonly startedAtMs: number;
  readonly count: number;
  readonly failShare: number;
  readonly corpId: string;
}

const EVENTS_A_SECOND_MIN = 5;
/** CreateTime stays near now however many events there are: more of them share a second. */
const SPAN_SECONDS = 600;
const BURST_CHANCE = 0.1;
const BURST_FACTOR = 4;
const OPEN_HISTORIES_MAX = 200;
const NEW_HISTORY_CHANCE = 0.25;
/** How often an event is followed by one of the same object: only so do several of one object share a second. */
const SAME_OBJECT_CHANCE = 0.15;
const TEXT_SHARE = 0.12;
const UNKNOWN_SHARE = 0.05;
const LETTER_CASE_TWIN_CHANCE = 0.1;

/**
 * The events of a run in the order in which they happen, no two texts alike; CreateTime ends at the start of the run. The
 * same seed gives the same histories; ids and times are those of the run.
 */
export function workload(options: WorkloadOptions): WorkloadEvent[] {
  const generator = new WorkloadGenerator(options);
  return bursts(options).flatMap(({ second, size }) => Array.from({ length: size }, () => generator.next(second)));
}

class WorkloadGenerator {
  private readonly random: SeededRandom;
  private readonly around: Surroundings;
  private readonly open: History[] = [];
  private last: History | null = null;
  private lastExternalUserId = '';

  constructor(private readonly options: WorkloadOptions) {
    this.random = new SeededRandom(options.seed, 'workload');
    const ids = new RunIds(options.seed, options.startedAtMs);
    this.around = { corpId: options.corpId, ids, random: this.random };
  }

  next(second: number): WorkloadEvent {
    if (this.random.chance(this.options.failShare)) return failingEvent(this.around, second);
    return { plaintext: this.write(second), endsDead: false };
  }

  private write(second: number): string {
    const draw = this.random.fraction();
    if (draw < TEXT_SHARE) return textMessage(this.around, second);
    if (draw < TEXT_SHARE + UNKNOWN_SHARE) return unknownEvent(this.around, second);
    // A fresh object always has something to tell.
    return (
      this.advance(this.choose(), second) ?? this.advance(this.begin(), second) ?? unknownEvent(this.around, second)
    );
  }

  private advance(history: History, second: number): string | null {
    const plaintext = history.next(second);
    this.last = history.isOver() ? null : history;
    const place = this.open.indexOf(history);
    if (history.isOver() && place >= 0) this.open.splice(place, 1);
    return plaintext;
  }

  private choose(): History {
    if (this.last !== null && this.random.chance(SAME_OBJECT_CHANCE)) return this.last;
    const isFull = this.open.length >= OPEN_HISTORIES_MAX;
    const chosen = this.open[this.random.upTo(this.open.length - 1)];
    return chosen !== undefined && (isFull || !this.random.chance(NEW_HISTORY_CHANCE)) ? chosen : this.begin();
  }

  private begin(): History {
    const history = this.newHistory();
    if (this.open.length >= OPEN_HISTORIES_MAX) this.open.shift();
    this.open.push(history);
    return history;
  }

  private newHistory(): History {
    const kind = this.random.pick(['approval', 'approval', 'relation', 'relation', 'group']);
    if (kind === 'approval') return new ApprovalHistory(this.around);
    if (kind === 'group') return new GroupHistory(this.around);
    // WeCom's ids differ in letter case alone; a key column that folds case would merge two customers.
    const isTwin = this.lastExternalUserId !== '' && this.random.chance(LETTER_CASE_TWIN_CHANCE);
    const externalUserId = isTwin ? this.lastExternalUserId.replace('Ab', 'aB') : this.around.ids.opaque('wm');
    this.lastExternalUserId = isTwin ? '' : externalUserId;
    return new RelationHistory(this.around, externalUserId);
  }
}

/** How many events happen in which second. The sum is `count`, and the last second is the one in which the run starts. */
function bursts({ seed, count, startedAtMs }: WorkloadOptions): { second: number; size: number }[] {
  const random = new SeededRandom(seed, 'bursts');
  const mean = Math.max(EVENTS_A_SECOND_MIN, Math.ceil(count / SPAN_SECONDS));
  const sizes: number[] = [];
  for (let left = count; left > 0; left -= sizes.at(-1) ?? left) {
    const factor = random.chance(BURST_CHANCE) ? BURST_FACTOR : 1;
    sizes.push(Math.min(left, 1 + random.upTo(2 * mean) * factor));
  }
  const firstSecond = Math.floor(startedAtMs / 1_000) - sizes.length + 1;
  return sizes.map((size, index) => ({ second: firstSecond + index, size }));
}
