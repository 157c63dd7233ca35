import type { Redis } from 'ioredis';
import { pointOf } from '../product/control.js';
import { instanceOf, needInstance, needRedis, needServer, sharesTransport, type Engines } from './engines.js';
import type { Ledger } from './ledger.js';
import { messageOf } from './messages.js';
import { sleep } from './product-process.js';
import type { Stack } from './stack.js';
import type { Step } from './vocabulary.js';
import { CaseFailedError, ensure, UnsupportedError } from './verdict.js';

const LEASE_TTL_MS_MIN = 1_000;
/** Answers that are due are sent before a process is killed at a point behind them. */
const KILL_AFTER_MS = 100;
// Nothing listens there: a replica whose master is away refuses writes.
const NO_MASTER = ['127.0.0.1', '1'] as const;

/** Says before a case is begun which of its faults cannot be had on these engines. */
export function checkFault(step: Step, engines: Engines): void {
  const what = step.what ?? '';
  if (what.startsWith('redis.') && what !== 'redis.bypassGuard') needRedis(engines, what);
  if (['db.killConnections', 'db.waitTimeout', 'db.flag', 'db.restart'].includes(what)) needServer(engines, what);
  if (what === 'db.raise' && engines.store === 'sqlite' && ![1213, 1205].includes(Number(step['errno'])))
    throw new UnsupportedError(`db.raise: SQLite has nothing like error ${step['errno']}`);
  if (what === 'bus.sessionTimeoutMs' && !sharesTransport(engines))
    throw new UnsupportedError(
      `${what} needs a broker with consumer groups, and the transport is ${engines.transport}`,
    );
  if (/^(gateway|consumer)\./.test(what)) needInstance(step['instance'], what, engines);
  if (step['at'] !== undefined && what !== 'clock.freeze' && pointOf(String(step['at'])) === null)
    throw new UnsupportedError(`${what}: the point "${step['at']}" is not known here`);
  if (what === 'broker.holdPublish' && ![undefined, 'fail'].includes(step['then'] as string | undefined))
    throw new UnsupportedError(`${what}: then "${step['then']}" is not known here`);
  if (what === 'handler.stall' && ![undefined, 'throw'].includes(step['then'] as string | undefined))
    throw new UnsupportedError(`${what}: then "${step['then']}" is not known here`);
  if (what === 'guard.leaseMs' && Number(step['value']) < LEASE_TTL_MS_MIN)
    throw new UnsupportedError(`${what}: the product takes no lease under ${LEASE_TTL_MS_MIN} ms`);
}

/** A line for the reader of a verdict, where a fault is not what its name says in production. */
export function noteOf(step: Step, engines: Engines): string | null {
  const what = step.what ?? '';
  if (what === 'bus.sessionTimeoutMs') return sessionNote(engines);
  if (/^(broker|dlq|bus)\./.test(what)) return `${what} injected at the Transport port (${engines.transport})`;
  if (/^db\.(down|up|raise)$/.test(what) && engines.store === 'sqlite')
    return `${what} injected at the UnitOfWork port`;
  if (/^(gateway|consumer)\./.test(what)) return `${what}: one process has both roles`;
  return null;
}

/** The case wants a handler that is longer than the session; ours has a length that is no setting. */
function sessionNote({ transport }: Engines): string {
  return transport === 'kafka'
    ? "bus.sessionTimeoutMs: the consumer's session is 10 s, and no setting"
    : 'bus.sessionTimeoutMs: RocketMQ has no session; a message in hand is hidden for 10 s and renewed';
}

/** Injects faults; each lasts until its opposite or the end of the case. */
export class Faults {
  private lateBroker: Promise<void> = Promise.resolve();

  constructor(
    private readonly stack: Stack,
    private readonly ledger: Ledger,
  ) {}

  async inject(step: Step): Promise<void> {
    const what = step.what ?? '';
    if (step['at'] !== undefined && what !== 'clock.freeze') {
      const point = pointOf(String(step['at']));
      await this.stack.at(point ?? '', () => this.now(what, step, true));
      return;
    }
    await this.now(what, step, false);
  }

  /** Ends whatever still lasts, so that the product can come to rest. */
  async lift(): Promise<void> {
    await this.lateBroker;
    await this.stack.servers.heal();
    for (const what of ['broker.normal', 'dlq.accept', 'db.up', 'handler.normal', 'clock.normal'])
      await this.stack.fault({ what });
    await this.stack.startProduct(1);
  }

  private async now(what: string, step: Step, isAtPoint: boolean): Promise<'go on' | 'ended'> {
    const [part] = what.split('.');
    if (part === 'redis' && what !== 'redis.bypassGuard') await this.onRedis(what, step);
    else if (part === 'gateway' || part === 'consumer')
      return this.onProcess(what.split('.')[1] ?? '', step, isAtPoint);
    else if (part === 'db' && this.stack.servers.maria && what !== 'db.raise') await this.onDatabase(what, step);
    else if (what === 'guard.leaseMs') {
      this.stack.set('LEASE_TTL_MS', String(step['value']));
      await this.stack.restartProduct();
    } else if (what === 'bus.sessionTimeoutMs') return 'go on';
    else if (what === 'stack.fresh') await this.fresh(Number(step['brokerDelayMs'] ?? 0));
    else {
      const { do: _do, delayMs: _delayMs, ...fault } = step;
      await this.stack.fault({ ...fault, what });
    }
    return 'go on';
  }

  private async onRedis(what: string, step: Step): Promise<void> {
    const redis = this.stack.servers.redis;
    if (!redis) throw new CaseFailedError('there is no Redis');
    switch (what) {
      case 'redis.down':
        return redis.kill();
      case 'redis.up':
        return redis.run();
      case 'redis.readonly':
        return this.redis((client) => client.replicaof(...NO_MASTER));
      case 'redis.writable':
        return this.redis((client) => client.replicaof('NO', 'ONE'));
      case 'redis.flushall':
        return this.redis((client) => client.flushall());
      case 'redis.scriptFlush':
        return this.redis((client) => client.script('FLUSH'));
      case 'redis.deleteGuardKey':
        return this.deleteGuardKey(String(step['ref'] ?? 'last'));
      default:
        throw new UnsupportedError(`fault ${what} is not known here`);
    }
  }

  private async deleteGuardKey(ref: string): Promise<void> {
    const { eventKey } = messageOf(this.ledger.byRef(ref), this.stack.journal());
    await this.redis(async (client) => {
      const keys = await client.keys(`*${eventKey}*`);
      ensure(keys.length > 0, `the guard has no key of ${ref}`);
      await client.del(...keys);
    });
  }

  private async onDatabase(what: string, step: Step): Promise<void> {
    const { maria } = this.stack.servers;
    if (!maria) return;
    if (what === 'db.down') await maria.kill();
    else if (what === 'db.up') await maria.start();
    else if (what === 'db.restart') {
      await maria.kill();
      await maria.start();
    } else if (what === 'db.flag') {
      await this.stack.fault({ what, FOUND_ROWS: step['FOUND_ROWS'] });
      // A connection keeps the flag that it began with.
      await maria.killConnections();
    } else if (what === 'db.killConnections') await maria.killConnections();
    else await maria.root.query(`SET GLOBAL wait_timeout = ${Number(step['seconds'])}`);
  }

  private async onProcess(verb: string, step: Step, isAtPoint: boolean): Promise<'go on' | 'ended'> {
    const instance = instanceOf(step['instance']);
    const product = this.stack.instance(instance);
    if (verb === 'start') {
      // A start after `sigterm` waits for the end that was asked for.
      if (product?.isAlive && product.endIsWanted) await product.waitForEnd();
      await this.stack.startProduct(instance);
      return 'go on';
    }
    if (verb === 'kill9') {
      if (isAtPoint) await sleep(KILL_AFTER_MS);
      await this.stack.endProduct('SIGKILL', instance);
      return 'ended';
    }
    if (verb === 'sigterm') product?.signal('SIGTERM');
    else await this.stack.endProduct('SIGTERM', instance);
    return 'ended';
  }

  private async fresh(brokerDelayMs: number): Promise<void> {
    await this.stack.fresh(brokerDelayMs > 0 ? [{ what: 'broker.down' }] : []);
    if (brokerDelayMs > 0) this.lateBroker = sleep(brokerDelayMs).then(() => this.stack.fault({ what: 'broker.up' }));
  }

  private async redis(work: (client: Redis) => Promise<unknown>): Promise<void> {
    const client = this.stack.servers.redis?.client();
    if (!client) return;
    try {
      await work(client);
    } finally {
      client.disconnect();
    }
  }
}
