import { hash } from 'node:crypto';
import type { ConsumeBatch, OutgoingMessage, SubscribeOptions } from '../../../src/transport/transport.js';
import type { Life } from '../world/life.js';
import type { World } from '../world/world.js';

export interface StoredMessage {
  readonly topic: string;
  readonly offset: number;
  readonly orderingKey: string;
  readonly body: string;
}

/** The messages of one ordering key that wait, in order. A changed partition count gives a key a second line. */
export interface Line {
  readonly key: string;
  readonly waiting: StoredMessage[];
  readonly inHand: Set<StoredMessage>;
  owner: Member | null;
  notBefore: number;
}

export interface Member {
  readonly life: Life;
  readonly options: SubscribeOptions;
  readonly consume: ConsumeBatch;
  batches: number;
  /** What it has in hand; its adapter is told when one of them is taken away. */
  readonly inHand: Map<StoredMessage, HandedOut>;
  isMember: boolean;
}

export interface HandedOut {
  readonly message: StoredMessage;
  readonly line: Line;
  isTaken: boolean;
  onTaken: () => void;
}

interface Group {
  readonly topic: string;
  readonly name: string;
  readonly lines: Map<string, Line>;
  readonly members: Member[];
  readonly settled: StoredMessage[];
}

const SESSION_MS = 5_000;
const LOOK_MS = 1_000;
const SETTLED_REMEMBERED_MAX = 200;
/** Kafka's producers ask for the partitions every few minutes: all that happens in a schedule may come before that. */
const NEWS_MS = 15_000;

/** A broker: topics, and groups whose members share the lines. At least once, and in order within a line. */
export class Broker {
  readonly log: StoredMessage[] = [];
  onPublish: (message: StoredMessage) => void = () => undefined;
  onMoved: (message: StoredMessage) => void = () => undefined;
  private readonly groups: Group[] = [];
  private layout = 0;
  private isNewsUntil = 0;
  private readonly silentSince = new Map<Member, number>();

  constructor(private readonly world: World) {}

  start(): void {
    this.world.later(LOOK_MS, () => {
      this.look();
      this.start();
    });
  }

  publish(topic: string, messages: readonly OutgoingMessage[]): void {
    for (const { orderingKey, body } of messages) {
      const message = { topic, offset: this.log.length, orderingKey, body };
      this.log.push(message);
      this.onPublish(message);
      const layout = this.layoutOfProducer();
      for (const group of this.groups)
        if (group.topic === topic) this.lineOf(group, orderingKey, layout).waiting.push(message);
    }
    for (const group of this.groups) if (group.topic === topic) this.pump(group);
  }

  /** Groups exist before their first member: what is published meanwhile waits for it. */
  createGroup(topic: string, name: string): void {
    this.groups.push({ topic, name, lines: new Map(), members: [], settled: [] });
  }

  join(life: Life, options: SubscribeOptions, consume: ConsumeBatch): Member {
    const group = this.group(options.topic, options.group);
    const member: Member = { life, options, consume, batches: 0, inHand: new Map(), isMember: true };
    // A new process of a host takes the place of the one before it.
    for (const other of [...group.members]) if (other.life.host === life.host) this.expel(group, other);
    group.members.push(member);
    this.rebalance(group);
    return member;
  }

  /** False when the message is not this member's any more. */
  settle(member: Member, handed: HandedOut): boolean {
    if (handed.isTaken) return false;
    const { line, message } = handed;
    const group = this.group(member.options.topic, member.options.group);
    remove(line.waiting, message);
    this.leaveHand(member, handed);
    group.settled.push(message);
    if (group.settled.length > SETTLED_REMEMBERED_MAX) group.settled.shift();
    this.pump(group);
    return true;
  }

  comeBack(member: Member, handed: HandedOut, delayMs: number): void {
    if (handed.isTaken) return;
    handed.line.notBefore = Math.max(handed.line.notBefore, this.world.now + delayMs);
    this.leaveHand(member, handed);
    this.world.later(delayMs, () => this.pump(this.group(member.options.topic, member.options.group)));
  }

  batchEnded(member: Member): void {
    member.batches -= 1;
    this.pump(this.group(member.options.topic, member.options.group));
  }

  unsettled(topic: string): StoredMessage[] {
    return this.groups
      .filter((group) => group.topic === topic)
      .flatMap(({ lines }) => [...lines.values()].flatMap(({ waiting }) => waiting));
  }

  /** Delivers again what was settled: first one message, then perhaps those after it; before what waits or behind it. */
  redeliver(topic: string): void {
    const group = this.groups.find((one) => one.topic === topic);
    const { random } = this.world;
    if (!group || group.settled.length === 0) return;
    const at = random.upTo(group.settled.length - 1);
    const first = group.settled[at]!;
    const same = group.settled.slice(at).filter(({ orderingKey }) => orderingKey === first.orderingKey);
    // Copies: the same message may be on its way more than once.
    const again = same.slice(0, 1 + random.upTo(same.length - 1)).map((message) => ({ ...message }));
    const line = this.lineOf(group, first.orderingKey);
    if (random.chance(0.5) && line.inHand.size === 0) line.waiting.unshift(...again);
    else line.waiting.push(...again);
    this.world.hit('redelivery');
    this.world.tell('broker', `delivers again ${again.map(({ offset }) => `@${offset}`).join(' ')}`);
    this.pump(group);
  }

  /**
   * The partition count changes: a key's messages go to another line than those that wait, as soon as the producer has
   * heard of it. Until then the two lines serve one key side by side.
   */
  repartition(): void {
    this.layout += 1;
    this.isNewsUntil = this.world.now + this.world.random.fraction() * NEWS_MS;
    this.world.hit('repartition');
    this.world.tell('broker', 'has another number of partitions');
    for (const group of this.groups) this.rebalance(group);
  }

  /** Members change for no reason that they could see. */
  shuffle(): void {
    for (const group of this.groups) {
      const first = group.members.shift();
      if (first) group.members.push(first);
      this.rebalance(group);
    }
  }

  /** The broker gives up on a message and moves it, as it is. */
  moveToDeadLetters(topic: string, deadTopic: string): void {
    const group = this.groups.find((one) => one.topic === topic);
    const lines = [...(group?.lines.values() ?? [])].filter(
      ({ waiting, inHand }) => waiting.length > 0 && inHand.size === 0,
    );
    const line = lines[this.world.random.upTo(Math.max(0, lines.length - 1))];
    const message = line?.waiting.shift();
    if (!message) return;
    this.world.hit('moved-to-dlq');
    this.world.tell('broker', `moves @${message.offset} to the dead letters`);
    this.onMoved(message);
    this.publish(deadTopic, [message]);
  }

  private look(): void {
    for (const group of this.groups) {
      for (const member of [...group.members]) {
        const { life } = member;
        const isHeard = life.isAlive && life.pausedUntil <= this.world.now && this.world.reaches(life.host, 'broker');
        if (isHeard) this.silentSince.delete(member);
        else if (!this.silentSince.has(member)) this.silentSince.set(member, this.world.now);
        if (this.world.now - (this.silentSince.get(member) ?? this.world.now) >= SESSION_MS) {
          this.expel(group, member);
          this.rebalance(group);
        }
      }
      this.pump(group);
    }
  }

  /** It may still be at work, and learns late that its lines are somebody else's. */
  private expel(group: Group, member: Member): void {
    remove(group.members, member);
    member.isMember = false;
    this.silentSince.delete(member);
    for (const handed of [...member.inHand.values()]) this.take(member, handed);
    this.rejoinLater(group, member);
  }

  private rejoinLater(group: Group, member: Member): void {
    const look = (): void => {
      const { life } = member;
      if (!life.isAlive || member.isMember) return;
      if (life.pausedUntil > this.world.now || !this.world.reaches(life.host, 'broker'))
        return this.world.later(LOOK_MS, look);
      member.isMember = true;
      group.members.push(member);
      this.rebalance(group);
    };
    this.world.later(LOOK_MS, look);
  }

  private take(member: Member, handed: HandedOut): void {
    handed.isTaken = true;
    this.world.hit('rebalance');
    this.leaveHand(member, handed);
    const { life } = member;
    if (life.isAlive) this.world.scheduler.after(this.world.random.fraction() * LOOK_MS * 2, life, handed.onTaken);
  }

  private leaveHand(member: Member, handed: HandedOut): void {
    member.inHand.delete(handed.message);
    handed.line.inHand.delete(handed.message);
  }

  private rebalance(group: Group): void {
    for (const line of group.lines.values()) {
      const owner = this.ownerOf(group, line);
      if (line.owner === owner) continue;
      if (line.owner !== null)
        for (const handed of [...line.owner.inHand.values()]) if (handed.line === line) this.take(line.owner, handed);
      line.owner = owner;
    }
    this.pump(group);
  }

  private ownerOf(group: Group, line: Line): Member | null {
    return group.members[numberOf(line.key) % Math.max(1, group.members.length)] ?? null;
  }

  private pump(group: Group): void {
    for (const member of group.members) {
      while (member.batches < member.options.lanes && this.world.reaches(member.life.host, 'broker')) {
        const batch = this.takeBatch(group, member);
        if (batch.length === 0) break;
        member.batches += 1;
        this.world.scheduler.after(this.world.latency(), member.life, () => this.deliver(member, batch));
      }
    }
  }

  private takeBatch(group: Group, member: Member): HandedOut[] {
    const batch: HandedOut[] = [];
    for (const line of group.lines.values()) {
      if (line.owner !== member || line.inHand.size > 0 || line.notBefore > this.world.now) continue;
      for (const message of line.waiting) {
        if (batch.length >= member.options.batchSizeMax) return batch;
        // Redelivered while it still waits: one copy at a time.
        if (line.inHand.has(message)) break;
        const handed: HandedOut = { message, line, isTaken: false, onTaken: () => undefined };
        line.inHand.add(message);
        member.inHand.set(message, handed);
        batch.push(handed);
      }
    }
    return batch;
  }

  /** Replaced by the adapter, which makes deliveries of them. */
  deliver: (member: Member, batch: readonly HandedOut[]) => void = () => undefined;

  private layoutOfProducer(): number {
    const isLate = this.world.now < this.isNewsUntil && this.world.random.chance(0.5);
    return isLate ? this.layout - 1 : this.layout;
  }

  private lineOf(group: Group, orderingKey: string, layout = this.layout): Line {
    const key = `${layout}/${orderingKey}`;
    let line = group.lines.get(key);
    if (line === undefined) {
      line = { key, waiting: [], inHand: new Set(), owner: null, notBefore: 0 };
      line.owner = this.ownerOf(group, line);
      group.lines.set(key, line);
    }
    return line;
  }

  private group(topic: string, name: string): Group {
    const group = this.groups.find((one) => one.topic === topic && one.name === name);
    if (!group) throw new Error(`nobody made the group ${name} of ${topic}`);
    return group;
  }
}

const numbers = new Map<string, number>();

function numberOf(key: string): number {
  let number = numbers.get(key);
  if (number === undefined) {
    number = Number.parseInt(hash('sha256', key, 'hex').slice(0, 8), 16);
    if (numbers.size > 10_000) numbers.clear();
    numbers.set(key, number);
  }
  return number;
}

function remove<T>(items: T[], item: T): void {
  const at = items.indexOf(item);
  if (at >= 0) items.splice(at, 1);
}
