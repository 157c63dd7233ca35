import { SeededRandom } from '../../../src/simulator/seeded-random.js';
import type { FaultProfile, Fault } from './faults.js';
import { never, type Host, type Life } from './life.js';
import { Scheduler } from './scheduler.js';

export type Service = 'guard' | 'broker' | 'database' | 'wecom-api';
export type Reply<T> = { readonly ok: T } | { readonly error: Error };
export type When = 'before' | 'after';

export interface Call {
  readonly service: Service;
  readonly label: string;
  /** After this long the caller gives up by itself; infinite where the product brings its own limit. */
  readonly limitMs: number;
  /** What the real adapter rejects with. */
  readonly failure: (reason: string) => Error;
  /** When the request will be there: what leaves later on the same connection is not there before it. */
  readonly onSent?: (arrivesAt: number) => void;
}

export interface CrashPoint {
  readonly label: string;
  readonly when: When;
  /** Counts down with each call of that label. */
  skip: number;
}

export const EPOCH_MS = 1_900_000_000_000;
const LATENCY_MS = 2;
const SLOW_MS = 4_000;
const REFUSED_CHANCE = 0.4;
/** A request that has left is done although its sender is no more; a socket that the kernel closes takes it along. */
const OUTLIVES_CHANCE = 0.5;

/** Where everything happens: time, chance, hosts, the network between them and what goes wrong with it. */
export class World {
  readonly random: SeededRandom;
  readonly scheduler: Scheduler;
  readonly hits = new Map<Fault, number>();
  readonly violations: string[] = [];
  readonly hosts: Host[] = [];
  /** Null unless the schedule is told: telling costs more than running. */
  history: string[] | null = null;
  /** Labels of calls met, with how often. */
  readonly labels = new Map<string, number>();
  crashPoints: CrashPoint[] = [];
  onCrash: (life: Life) => void = () => undefined;
  private readonly cuts = new Map<string, number>();
  private isCalm = false;

  constructor(
    readonly seed: number,
    public profile: FaultProfile,
  ) {
    this.random = new SeededRandom(seed, 'world');
    this.scheduler = new Scheduler(new SeededRandom(seed, 'scheduler'));
  }

  get now(): number {
    return this.scheduler.now;
  }

  /** Nothing goes wrong any more. */
  calm(): void {
    this.isCalm = true;
    this.cuts.clear();
  }

  get isCalmed(): boolean {
    return this.isCalm;
  }

  hit(fault: Fault): void {
    this.hits.set(fault, (this.hits.get(fault) ?? 0) + 1);
  }

  tell(who: string, what: string): void {
    this.history?.push(`${this.now.toFixed(3).padStart(11)} ${who.padEnd(12)} ${what}`);
  }

  violate(invariant: string, what: string): void {
    if (this.violations.length < 20) this.violations.push(`${invariant}: ${what}`);
    this.tell('!!', `${invariant}: ${what}`);
  }

  /** `host` (or every host) does not reach the service, or nobody does. */
  cut(host: Host | null, service: Service, ms: number): void {
    this.cuts.set(`${host?.name ?? '*'}|${service}`, this.now + ms);
    this.tell(
      'fault',
      `${host?.name ?? 'nobody'} ${host ? 'does not reach' : 'reaches'} ${service} for ${Math.round(ms)} ms`,
    );
  }

  reaches(host: Host, service: Service): boolean {
    if (this.cuts.size === 0) return true;
    const until = Math.max(this.cuts.get(`${host.name}|${service}`) ?? 0, this.cuts.get(`*|${service}`) ?? 0);
    return until <= this.now;
  }

  later(ms: number, act: () => void): void {
    this.scheduler.after(ms + this.random.fraction() * 0.2, null, act);
  }

  crash(life: Life, why: string): void {
    if (!life.isAlive) return;
    this.tell(life.name, `ends: ${why}`);
    life.end();
    this.onCrash(life);
  }

  /** A place where a process may end. */
  point(life: Life, label: string, when: When): void {
    if (when === 'before') this.labels.set(label, (this.labels.get(label) ?? 0) + 1);
    for (const crash of this.crashPoints) {
      if (crash.label !== label || crash.when !== when) continue;
      crash.skip -= 1;
      if (crash.skip !== -1) continue;
      this.hit('crash');
      this.crash(life, `swept ${when} ${label}`);
      return;
    }
    if (!this.isCalm && this.profile.perCall.crash > 0 && this.random.chance(this.profile.perCall.crash)) {
      this.hit('crash');
      this.crash(life, `${when} ${label}`);
    }
  }

  /**
   * A call over the network: its request arrives, `effect` happens there at once or later, its reply arrives. Each of the
   * three is a step of its own, and each may go wrong.
   */
  call<T>(life: Life, call: Call, effect: (reply: (reply: Reply<T>) => void) => void): Promise<T> {
    if (!life.isAlive) return never();
    this.point(life, call.label, 'before');
    if (!life.isAlive) return never();
    return new Promise<T>((resolve, reject) => new Exchange(this, life, call, resolve, reject).begin(effect));
  }

  /** A step of a process by itself: its disk, mostly. */
  local(life: Life, label: string, ms: number): Promise<void> {
    if (!life.isAlive) return never();
    this.point(life, label, 'before');
    if (!life.isAlive) return never();
    return new Promise((resolve) => {
      this.scheduler.after(ms, life, () => {
        this.point(life, label, 'after');
        if (life.isAlive) resolve();
      });
    });
  }

  latency(): number {
    return 0.1 + this.random.fraction() * LATENCY_MS;
  }
}

class Exchange<T> {
  private isSettled = false;
  private readonly sentAt: number;

  constructor(
    private readonly world: World,
    private readonly life: Life,
    private readonly call: Call,
    private readonly resolve: (value: T) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.sentAt = world.now;
  }

  begin(effect: (reply: (reply: Reply<T>) => void) => void): void {
    const { world, life, call } = this;
    const { perCall } = world.profile;
    if (!world.reaches(life.host, call.service)) {
      world.hit('partition');
      return world.random.chance(REFUSED_CHANCE) ? this.fail(world.latency(), 'refused') : this.hang('no way there');
    }
    const goesWrong = (chance: number): boolean => !world.isCalmed && chance > 0 && world.random.chance(chance);
    if (goesWrong(perCall.lostRequest)) {
      world.hit('lost-request');
      return world.random.chance(REFUSED_CHANCE)
        ? this.fail(world.latency(), 'reset')
        : this.hang('the request was lost');
    }
    let requestMs = world.latency();
    if (goesWrong(perCall.slow)) {
      world.hit('slow-call');
      requestMs += world.random.fraction() ** 2 * SLOW_MS;
    }
    if (requestMs > call.limitMs) this.hang('too slow');
    call.onSent?.(world.now + requestMs);
    const losesReply = goesWrong(perCall.lostReply);
    const outlives = world.random.chance(OUTLIVES_CHANCE);
    world.scheduler.after(requestMs, null, () => {
      if (!life.isAlive && !outlives) return;
      world.tell(life.name, call.label);
      effect((reply) => this.answer(reply, losesReply));
    });
  }

  private answer(reply: Reply<T>, isLost: boolean): void {
    const { world, life, call } = this;
    if (isLost || !world.reaches(life.host, call.service)) {
      world.hit(isLost ? 'lost-reply' : 'partition');
      world.tell(life.name, `${call.label}: the reply is lost`);
      return world.random.chance(REFUSED_CHANCE) ? this.fail(world.latency(), 'reset') : this.hang('no reply');
    }
    world.scheduler.after(world.latency(), life, () =>
      this.settle(() => ('ok' in reply ? this.resolve(reply.ok) : this.reject(reply.error))),
    );
  }

  /** The caller waits to its limit. Without one it waits for ever, and the product has to see to that. */
  private hang(reason: string): void {
    const left = this.sentAt + this.call.limitMs - this.world.now;
    if (Number.isFinite(left)) this.fail(Math.max(0, left), reason);
  }

  private fail(ms: number, reason: string): void {
    this.world.scheduler.after(ms, this.life, () => this.settle(() => this.reject(this.call.failure(reason))));
  }

  private settle(act: () => void): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.world.point(this.life, this.call.label, 'after');
    if (this.life.isAlive) act();
  }
}
