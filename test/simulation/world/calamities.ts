import type { SeededRandom } from '../../../src/simulator/seeded-random.js';
import type { MemoryDisk } from '../../support/memory-disk.js';
import type { Broker } from '../ports/broker.js';
import type { GuardServer } from '../ports/sim-guard.js';
import { DLQ_TOPIC, EVENTS_TOPIC, LEASES } from '../roles/settings.js';
import { CALAMITIES, type Calamity } from './faults.js';
import type { Host } from './life.js';
import type { Service, World } from './world.js';

/** What can be struck. */
export interface Surroundings {
  readonly guard: GuardServer;
  readonly broker: Broker;
  isOrderMixed: boolean;
  readonly isCrowded: boolean;
  diskOf(host: Host): MemoryDisk;
}

const SPAN_MS = 30_000;
/** What happens in quick succession is over soon. */
const SPAN_MS_CROWDED = 8_000;
const PAUSE_MS = 2.5 * LEASES.leaseTtlMs;
const CUT_MS = 6_000;
const SERVICES = ['guard', 'broker', 'broker', 'database', 'wecom-api'] as const;

/** Faults that come at a moment, whatever is under way then. */
export class Calamities {
  constructor(
    private readonly world: World,
    private readonly around: Surroundings,
    private readonly random: SeededRandom,
  ) {}

  plan(): void {
    const spanMs = this.around.isCrowded ? SPAN_MS_CROWDED : SPAN_MS;
    for (const kind of CALAMITIES) {
      for (let times = this.world.profile.times[kind]; times > 0; times -= 1)
        this.world.scheduler.after(this.random.fraction() * spanMs, null, () => this.strike(kind));
    }
    if (this.world.profile.times['guard-failover'] > 0) this.replicate();
  }

  /** The replica is behind by up to a few seconds. */
  private replicate(): void {
    this.world.scheduler.after(this.random.fraction() * 4_000, null, () => {
      this.around.guard.replicate();
      if (!this.world.isCalmed) this.replicate();
    });
  }

  private strike(kind: Calamity): void {
    const { world, around, random } = this;
    if (world.isCalmed) return;
    const host = this.host();
    switch (kind) {
      case 'crash':
        if (!host.life) return;
        world.hit('crash');
        return world.crash(host.life, 'struck');
      case 'pause':
        return this.pause(host);
      case 'partition':
        return world.cut(host, this.service(), random.fraction() * CUT_MS);
      case 'outage':
        world.hit('outage');
        return world.cut(null, this.service(), random.fraction() * CUT_MS);
      case 'guard-flush':
        world.tell('guard', 'loses all keys');
        return around.guard.flush();
      case 'guard-failover':
        world.tell('guard', 'fails over');
        return around.guard.failOver((random.fraction() - 0.5) * 4_000);
      case 'clock-step':
        world.hit('clock-step');
        host.clockOffset += (random.fraction() - 0.5) * 20_000;
        return world.tell(host.name, `has its clock at ${Math.round(host.clockOffset)} ms`);
      case 'redelivery':
        return around.broker.redeliver(EVENTS_TOPIC);
      case 'rebalance':
        return around.broker.shuffle();
      case 'repartition':
        around.isOrderMixed = true;
        return around.broker.repartition();
      case 'moved-to-dlq':
        return around.broker.moveToDeadLetters(EVENTS_TOPIC, DLQ_TOPIC);
      case 'disk-full':
      case 'disk-error':
        return this.strikeDisk(kind);
    }
  }

  /** SIGSTOP, past every lease; what comes meanwhile waits for it. */
  private pause(host: Host): void {
    const { life } = host;
    if (!life) return;
    const ms = this.random.fraction() * PAUSE_MS;
    life.pausedUntil = Math.max(life.pausedUntil, this.world.now + ms);
    this.world.hit('pause');
    this.world.tell(life.name, `stands still for ${Math.round(ms)} ms`);
  }

  private strikeDisk(kind: 'disk-full' | 'disk-error'): void {
    const gateways = this.world.hosts.filter(({ role }) => role === 'gateway');
    const host = gateways[this.random.upTo(gateways.length - 1)];
    if (!host) return;
    // The spool is used only while the transport is away.
    this.world.cut(host, 'broker', 2_000 + this.random.fraction() * CUT_MS);
    const disk = this.around.diskOf(host);
    this.world.hit(kind);
    this.world.tell(host.name, kind);
    if (kind === 'disk-error') {
      disk.fail(this.random.pick(['append', 'sync', 'openAppend', 'remove']), {
        code: 'EIO',
        times: 1 + this.random.upTo(2),
      });
      return;
    }
    disk.capacityBytes = this.random.upTo(3_000);
    this.world.scheduler.after(this.random.fraction() * CUT_MS, null, () => {
      this.around.diskOf(host).capacityBytes = Number.POSITIVE_INFINITY;
    });
  }

  private host(): Host {
    const { hosts } = this.world;
    return hosts[this.random.upTo(hosts.length - 1)]!;
  }

  private service(): Service {
    return this.random.pick(SERVICES);
  }
}
