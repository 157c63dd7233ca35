import type { GuardAddress } from '../config/guard-servers.js';
import type { Clock, Timer } from '../runtime/clock.js';
import { TimeLimitError } from '../runtime/within.js';
import type { Outage } from './circuit-breaker.js';
import { askForMap } from './cluster-survey.js';
import {
  nameOf,
  rangesOf,
  redirectionOf,
  slotOf,
  tagOn,
  SLOT_COUNT,
  type ClusterMap,
  type HostAndPort,
} from './cluster-map.js';
import { reasonOf } from './redis-reasons.js';
import { ScriptRunner, ScriptUnansweredError, type ScriptCall } from './script-runner.js';
import { ServerLink, type LinkLog } from './server-link.js';

export interface ClusterLinksOptions {
  readonly seeds: readonly GuardAddress[];
  readonly name: string;
  readonly timeoutMs: number;
  /** A call on a tag of one's own, so that it can be aimed at any server. */
  readonly probe: (tag: string) => ScriptCall;
}

/** While something is wrong the cluster is asked for its map this often: a replica may have been made the master. */
const SURVEY_EVERY_MS = 250;
/** A slot that moves sends a call on once; more than this is a cluster that does not agree with itself. */
const REDIRECTIONS_MAX = 3;
/** How long a server without slots of its own stays connected after a slot began to move there. */
const GUEST_MS = 10_000;
const PROBE_TAG = 'probe';
const NOT_YET = 'not connected yet';

interface Node {
  readonly where: HostAndPort;
  readonly link: ServerLink;
}

/**
 * A link to each master of a cluster, so that one that hangs or dies costs the others nothing: its breaker opens, and
 * calls on its slots alone are rejected, until the cluster has appointed another.
 *
 * The client library's own cluster mode is not used: it queues commands for a server while it connects and repeats them
 * after pauses, and so runs scripts whose callers have gone on.
 */
export class ClusterLinks extends ScriptRunner {
  /** By `host:port`: the masters of the map, and where slots are on their way to. */
  private readonly nodes = new Map<string, Node>();
  private readonly askedAt = new Map<string, number>();
  private readonly account: GuardAddress;
  private map: ClusterMap | null = null;
  private surveyTimer: Timer | null = null;
  private isSurveying = false;
  private isMapDoubted = true;
  /** Why there is no whole map. */
  private surveyOutage: Outage | null;
  private surveyCount = 0;
  private isClosed = false;
  private whenUp: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly log: LinkLog,
    private readonly options: ClusterLinksOptions,
  ) {
    super();
    const [first] = options.seeds;
    if (first === undefined) throw new Error('a cluster needs a server to be found by');
    this.account = first;
    this.surveyOutage = { since: clock.now(), reason: NOT_YET };
  }

  /** Begins to connect. Resolves when every master has answered, or after `limitMs`. */
  async open(limitMs: number): Promise<void> {
    this.surveyTimer = this.clock.every(SURVEY_EVERY_MS, () => this.tick());
    const up = new Promise<void>((resolve) => (this.whenUp = resolve));
    const timer = this.clock.after(limitMs, () => this.whenUp?.());
    this.tick();
    await up;
    timer.cancel();
    this.whenUp = null;
  }

  override async run(call: ScriptCall): Promise<number> {
    const deadline = this.clock.monotonic() + this.options.timeoutMs;
    let server = this.map?.owners[slotOf(call.key)];
    let isAsking = false;
    for (let hops = 0; ; hops += 1) {
      const { link, where } = this.nodeOf(server);
      const limitMs = deadline - this.clock.monotonic();
      if (limitMs <= 0) throw new ScriptUnansweredError({ cause: new TimeLimitError('Redis', this.options.timeoutMs) });
      try {
        return await link.hop(call, { limitMs, isAsking });
      } catch (error) {
        const next = redirectionOf(error, where);
        if (next === null) throw error;
        if (hops >= REDIRECTIONS_MAX) throw new ScriptUnansweredError({ cause: error });
        server = nameOf(next);
        isAsking = next.kind === 'ask';
      }
    }
  }

  override trouble(): Outage | null {
    if (this.isClosed) return { since: this.clock.now(), reason: 'closed' };
    if (this.surveyOutage !== null) return this.surveyOutage;
    const masters = [...this.nodes].filter(([server]) => this.map?.masters.has(server));
    const troubles = masters.map(([, { link }]) => link.trouble()).filter((one) => one !== null);
    const [first] = troubles.sort((a, b) => a.since - b.since);
    if (first === undefined) return null;
    return { since: first.since, reason: `${troubles.length} of ${masters.length} masters: ${first.reason}` };
  }

  override async close(): Promise<void> {
    this.isClosed = true;
    this.surveyTimer?.cancel();
    this.whenUp?.();
    await Promise.all([...this.nodes.values()].map(({ link }) => link.close()));
  }

  private nodeOf(server: string | undefined): Node {
    const node = server === undefined ? undefined : this.nodes.get(server);
    if (node !== undefined) return node;
    throw new ScriptUnansweredError({ cause: this.trouble()?.reason ?? NOT_YET });
  }

  private tick(): void {
    const outage = this.trouble();
    if (outage === null) this.whenUp?.();
    if (this.isSurveying || this.isClosed || (outage === null && !this.isMapDoubted)) return;
    this.isSurveying = true;
    void this.survey().finally(() => (this.isSurveying = false));
  }

  private async survey(): Promise<void> {
    this.isMapDoubted = false;
    this.surveyCount += 1;
    const { map, error } = await askForMap(this.clock, this.candidates(), {
      name: this.options.name,
      round: this.surveyCount,
    });
    if (this.isClosed) return;
    if (map !== null) this.adopt(map);
    // Without a new map the old one stands: the links say which of its servers are away.
    if (map?.uncoveredCount === 0) this.surveyOutage = null;
    else if (this.map === null) this.mapIsMissing(reasonOf(error));
    else if (map !== null) this.mapIsMissing(`${map.uncoveredCount} of ${SLOT_COUNT} slots have no server`);
  }

  private mapIsMissing(reason: string): void {
    const since = this.surveyOutage?.since ?? this.clock.now();
    const isNew = this.surveyOutage === null || this.surveyOutage.reason === NOT_YET;
    this.surveyOutage = { since, reason };
    if (isNew) this.log.warn('guard.lost', { reason });
  }

  /** Masters that answer first: they have the newest map. Then whoever is known. */
  private candidates(): { readonly sure: readonly GuardAddress[]; readonly others: readonly GuardAddress[] } {
    const at = ({ host, port }: HostAndPort): GuardAddress => ({ ...this.account, host, port });
    const known = new Map<string, HostAndPort>(this.options.seeds.map((seed) => [nameOf(seed), seed]));
    for (const [server, where] of [...(this.map?.masters ?? []), ...(this.map?.replicas ?? [])])
      known.set(server, where);
    const sure = [...(this.map?.masters ?? [])].filter(([name]) => this.nodes.get(name)?.link.trouble() === null);
    for (const [server] of sure) known.delete(server);
    return { sure: sure.map(([, where]) => at(where)), others: [...known.values()].map(at) };
  }

  private adopt(map: ClusterMap): void {
    this.map = map;
    const guestsSince = this.clock.monotonic() - GUEST_MS;
    for (const [server, { link }] of this.nodes) {
      if (map.masters.has(server) || (this.askedAt.get(server) ?? 0) > guestsSince) continue;
      this.nodes.delete(server);
      this.askedAt.delete(server);
      // A few calls may be under way; their callers go on without the guard.
      void link.close();
    }
    for (const where of map.masters.values()) this.connectTo(where);
  }

  private connectTo(where: HostAndPort): void {
    const server = nameOf(where);
    if (this.isClosed || this.nodes.has(server)) return;
    const owners = (): ClusterMap['owners'] => this.map?.owners ?? [];
    const link = new ServerLink(this.clock, this.log, {
      target: { kind: 'single', address: { ...this.account, ...where } },
      name: this.options.name,
      timeoutMs: this.options.timeoutMs,
      probe: () => this.options.probe(tagOn(owners(), server, PROBE_TAG)),
      isRedirection: (error) => this.noteRedirection(error, where),
      fields: () => ({ slots: rangesOf(owners(), server) }),
    });
    this.nodes.set(server, { where, link });
    void link.open(SURVEY_EVERY_MS).then(() => this.tick());
  }

  /** The slot's new server is asked from now on; the next map tells the rest. */
  private noteRedirection(error: unknown, asked: HostAndPort): boolean {
    const next = redirectionOf(error, asked);
    if (next === null) return false;
    const server = nameOf(next);
    if (next.kind === 'ask') this.askedAt.set(server, this.clock.monotonic());
    else if (this.map !== null && this.map.owners[next.slot] !== server) {
      this.map.owners[next.slot] = server;
      this.isMapDoubted = true;
    }
    this.connectTo({ host: next.host, port: next.port });
    return true;
  }
}
