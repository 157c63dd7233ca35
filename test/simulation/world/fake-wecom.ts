import type { App } from '../../../src/config/config.js';
import { ApprovalHistory, approvalPlaintext } from '../../../src/simulator/approval-history.js';
import { GroupHistory } from '../../../src/simulator/group-history.js';
import { History, type Surroundings } from '../../../src/simulator/history.js';
import { failingEvent, textMessage, unknownEvent } from '../../../src/simulator/loose-events.js';
import { plaintextOf } from '../../../src/simulator/plaintext.js';
import { RelationHistory } from '../../../src/simulator/relation-history.js';
import { RunIds } from '../../../src/simulator/run-ids.js';
import { Sealer } from '../../../src/simulator/sealer.js';
import { SeededRandom } from '../../../src/simulator/seeded-random.js';
import type { Truth } from '../ports/sim-wecom-api.js';
import type { HttpAnswer, HttpRequest } from '../roles/gateway.js';
import { EPOCH_MS, type World } from './world.js';

/** One event as WeCom has it: what differs in app or text is another event. */
export interface SentEvent {
  readonly number: number;
  readonly app: string;
  readonly corpId: string;
  readonly plaintext: string;
  readonly at: number;
  /** When a gateway first answered `success`. */
  acceptedAt: number | null;
}

export interface WecomHabits {
  readonly events: number;
  /** D90238 repeats after any failure, D90930 only where no answer came. */
  readonly repeatsAfterStatus: boolean;
  readonly duplicateChance: number;
  readonly disorderMs: number;
  readonly failShare: number;
  readonly slowShare: number;
  readonly killShare: number;
  /** One app and one kind of object, one object after the other, in quick succession. */
  readonly isCrowded: boolean;
}

const CORPS = ['wwA', 'wwB'] as const;
const APPS = ['own', 'second', 'suite'] as const;
const SUITE_ID = 'wxsuite';
const TIMEOUT_MS = 5_000;
const REPEATS_MAX = 3;
const HISTORIES_MAX = 3;
const HISTORY_KINDS = ['approval', 'relation', 'relation', 'group', 'group', 'member', 'member'] as const;
type HistoryKind = (typeof HISTORY_KINDS)[number];
const NEXT_MS_MAX = 2_500;
const NEXT_MS_MAX_CROWDED = 300;

export const APPS_OF_SIMULATION: ReadonlyMap<string, App> = new Map(
  APPS.map((name, index) => [
    name,
    {
      name,
      credentials: [{ token: `token${index}`, aesKey: Buffer.alloc(32, index + 1) }],
      receiveIds: [name === 'suite' ? SUITE_ID : CORPS[0]],
      envelope: 'xml',
      deadlineMs: TIMEOUT_MS,
      nackMode: 'hang',
      api: null,
    },
  ]),
);

/** A member of a corp, as `GroupHistory` tells of a group. */
class MemberHistory extends History {
  private state: 'none' | 'present' | 'gone' = 'none';
  private steps = 0;
  private id: string;

  constructor(private readonly around: Surroundings) {
    super();
    this.id = around.ids.opaque('m');
  }

  override next(second: number): string {
    const { random } = this.around;
    this.steps += 1;
    const changeType = this.state === 'present' ? (random.chance(0.25) ? 'delete_user' : 'update_user') : 'create_user';
    this.state = changeType === 'delete_user' ? 'gone' : 'present';
    const [own, renames] = [this.id, changeType === 'update_user' && random.chance(0.2)];
    if (renames) this.id = this.around.ids.opaque('m');
    return plaintextOf([
      ['ToUserName', this.around.corpId],
      ['FromUserName', 'sys'],
      ['CreateTime', second],
      ['MsgType', 'event'],
      ['Event', 'change_contact'],
      ['ChangeType', changeType],
      ['UserID', own],
      ...(renames ? [['NewUserID', this.id] as const] : []),
      ...(changeType === 'delete_user' ? [] : [['Name', `name ${this.steps}`] as const]),
    ]);
  }

  override isOver(): boolean {
    return this.steps >= 8;
  }
}

/** WeCom: makes events happen, sends each until it is answered, and knows what there is. */
export class FakeWecom implements Truth {
  readonly events: SentEvent[] = [];
  readonly asks: ReadonlySet<string> = new Set(['own']);
  isDone = false;
  private readonly random: SeededRandom;
  private readonly sealers = new Map<string, Sealer>();
  private readonly around = new Map<string, Surroundings>();
  private readonly open = new Map<string, History[]>();
  private readonly passed = new Map<string, string>();
  private readonly relations = new Set<string>();
  private readonly members = new Set<string>();
  private readonly kinds: readonly [HistoryKind, ...HistoryKind[]];
  private readonly historiesMax: number;
  private customers = 0;
  private underWay = 0;

  constructor(
    private readonly world: World,
    private readonly habits: WecomHabits,
    /** Null: nobody there. */
    private readonly post: (request: HttpRequest, event: SentEvent) => Promise<HttpAnswer> | null,
  ) {
    this.random = new SeededRandom(world.seed, 'wecom');
    this.kinds = habits.isCrowded ? [this.random.pick(HISTORY_KINDS)] : HISTORY_KINDS;
    this.historiesMax = habits.isCrowded ? 1 : HISTORIES_MAX;
    for (const { name, credentials, receiveIds } of APPS_OF_SIMULATION.values()) {
      const [pair] = credentials;
      if (!pair) continue;
      const given = { app: name, ...pair, receiveId: receiveIds[0] ?? '', adminToken: '' };
      this.sealers.set(name, new Sealer(given, this.random));
    }
    // Both corps have the same ids: only the corp tells their objects apart.
    for (const corpId of CORPS)
      this.around.set(corpId, { corpId, ids: new RunIds(1, EPOCH_MS), random: new SeededRandom(world.seed, corpId) });
  }

  get isQuiet(): boolean {
    return this.isDone && this.underWay === 0;
  }

  start(): void {
    this.world.scheduler.after(100, null, () => this.happen());
  }

  hasFollowRelation(_: string, { userId, externalUserId }: { userId: string; externalUserId: string }): boolean {
    return this.relations.has(`${userId}/${externalUserId}`);
  }

  hasMember(_: string, userId: string): boolean {
    return this.members.has(userId);
  }

  private happen(): void {
    const { isCrowded } = this.habits;
    const app = isCrowded ? 'own' : this.random.pick(['own', 'own', 'own', 'suite', 'suite']);
    const corpId = app === 'suite' ? this.random.pick(CORPS) : CORPS[0];
    const plaintext = this.tell(app, corpId);
    if (app === 'own') this.remember(plaintext);
    // Each app that may see a happening is told of it: the same text, another event.
    const apps = app === 'own' && this.random.chance(0.25) ? ['own', 'second'] : [app];
    for (const receiver of apps) this.emit(receiver, corpId, plaintext);
    const nextMsMax = isCrowded ? NEXT_MS_MAX_CROWDED : NEXT_MS_MAX;
    if (this.events.length >= this.habits.events) this.isDone = true;
    else this.world.scheduler.after(this.random.fraction() ** 2 * nextMsMax, null, () => this.happen());
  }

  private emit(app: string, corpId: string, plaintext: string): void {
    const event = this.known(app, plaintext) ?? this.add(app, corpId, plaintext);
    const copies = this.random.chance(this.habits.duplicateChance) ? 2 : 1;
    if (copies > 1) this.world.hit('wecom-duplicate');
    for (let copy = 0; copy < copies; copy += 1) {
      const delayMs = this.random.chance(0.5) ? 0 : this.random.fraction() * this.habits.disorderMs;
      if (delayMs > 1_000) this.world.hit('wecom-disorder');
      this.underWay += 1;
      this.world.scheduler.after(delayMs, null, () => this.send(event, 0));
    }
  }

  /** Deleted twice within a second: not even WeCom has anything that tells one from the other, so it is one event. */
  private known(app: string, plaintext: string): SentEvent | undefined {
    return this.events.find((event) => event.app === app && event.plaintext === plaintext);
  }

  private add(app: string, corpId: string, plaintext: string): SentEvent {
    const event = { number: this.events.length, app, corpId, plaintext, at: this.world.now, acceptedAt: null };
    this.events.push(event);
    return event;
  }

  private tell(app: string, corpId: string): string {
    const around = this.around.get(corpId)!;
    const second = Math.floor((EPOCH_MS + this.world.now) / 1_000);
    const draw = this.random.fraction();
    if (draw < this.habits.failShare) return this.failing(around, second);
    if (draw > 0.95) return unknownEvent(around, second);
    if (draw > 0.9) return textMessage(around, second);
    if (draw > 0.84) return this.passOrRefuse(around, `${app}/${corpId}`, second);
    const histories = this.open.get(`${app}/${corpId}`) ?? [];
    this.open.set(`${app}/${corpId}`, histories);
    const isNew = histories.length === 0 || (histories.length < this.historiesMax && this.random.chance(0.3));
    const history = isNew ? this.begin(around) : histories[this.random.upTo(histories.length - 1)]!;
    if (isNew) histories.push(history);
    const plaintext = history.next(second);
    if (history.isOver() || plaintext === null) histories.splice(histories.indexOf(history), 1);
    return plaintext ?? textMessage(around, second);
  }

  /** An order that is passed at once, and then is said to run: what no state machine takes. */
  private passOrRefuse({ corpId, ids }: Surroundings, where: string, second: number): string {
    const passed = this.passed.get(where);
    const number = passed ?? ids.approvalNumber();
    if (passed === undefined) this.passed.set(where, number);
    const remark = [['Remark', `${this.events.length}`]] as const;
    return approvalPlaintext(corpId, number, second, passed === undefined ? '2' : '1', 2, remark);
  }

  private failing(around: Surroundings, second: number): string {
    this.world.hit('handler-fails');
    const draw = this.random.fraction();
    const kills = draw < this.habits.killShare;
    if (!kills && draw > this.habits.killShare + this.habits.slowShare) return failingEvent(around, second).plaintext;
    return plaintextOf([
      ['ToUserName', around.corpId],
      ['FromUserName', 'sys'],
      ['CreateTime', second],
      ['MsgType', 'event'],
      ['Event', 'demo_task'],
      ['TaskId', around.ids.opaque('task')],
      ['Kills', kills ? 1 : 0],
      ['SlowMs', kills ? 0 : 500 + this.random.upTo(8_000)],
      ['FailTimes', 0],
    ]);
  }

  private begin(around: Surroundings): History {
    const kind = this.random.pick(this.kinds);
    if (kind === 'approval') return new ApprovalHistory(around);
    if (kind === 'group') return new GroupHistory(around);
    if (kind === 'member') return new MemberHistory(around);
    this.customers += 1;
    return new RelationHistory(around, `wm${this.customers >> 1}${this.customers % 2 === 0 ? 'Ab' : 'aB'}`);
  }

  private remember(plaintext: string): void {
    const at = (name: string): string => new RegExp(`<${name}><!\\[CDATA\\[(.*?)\\]\\]>`).exec(plaintext)?.[1] ?? '';
    const relation = `${at('UserID')}/${at('ExternalUserID')}`;
    switch (at('ChangeType')) {
      case 'add_external_contact':
        return void this.relations.add(relation);
      case 'del_external_contact':
        return void this.relations.delete(relation);
      case 'create_user':
        return void this.members.add(at('UserID'));
      case 'delete_user':
        return void this.members.delete(at('UserID'));
      case 'update_user':
        if (at('NewUserID') === '') return;
        this.members.delete(at('UserID'));
        this.members.add(at('NewUserID'));
    }
  }

  private send(event: SentEvent, repeat: number): void {
    const { world } = this;
    const sealed = this.sealers.get(event.app)!.seal(event.plaintext, EPOCH_MS + world.now);
    const query = Object.fromEntries(new URLSearchParams(sealed.query));
    let isOver = false;
    const end = (answer: HttpAnswer): void => {
      if (isOver) return;
      isOver = true;
      timeout.isCancelled = true;
      this.answered(event, answer, repeat);
    };
    const timeout = world.scheduler.after(TIMEOUT_MS, null, () => end({ kind: 'none' }));
    world.scheduler.after(world.latency(), null, () => {
      world.tell('wecom', `sends event ${event.number} to ${event.app}${repeat > 0 ? `, repeat ${repeat}` : ''}`);
      const answering = this.post({ app: event.app, query, body: Buffer.from(sealed.body) }, event);
      if (answering === null) return end({ kind: 'none' });
      void answering.then((answer) => {
        const isLost = !world.isCalmed && world.random.chance(world.profile.perCall.lostReply * 3);
        if (isLost) world.hit('wecom-answer-lost');
        else world.scheduler.after(world.latency(), null, () => end(answer));
      });
    });
  }

  private answered(event: SentEvent, answer: HttpAnswer, repeat: number): void {
    const isFailure = answer.kind === 'none' || (answer.kind === 'status' && this.habits.repeatsAfterStatus);
    if (!isFailure || repeat >= REPEATS_MAX) {
      this.underWay -= 1;
      return;
    }
    this.world.hit('wecom-retry');
    this.world.scheduler.after(500 + this.random.fraction() * 6_000, null, () => this.send(event, repeat + 1));
  }
}
