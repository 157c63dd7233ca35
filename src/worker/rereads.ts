import { Inject, Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { UNSEEN, decide } from '../saga/decide.js';
import { SagaStore } from '../saga/saga-store.js';
import { Clock } from '../runtime/clock.js';
import { Log } from '../observability/log.js';
import { WecomApiRefusedError } from '../wecom-api/wecom-api.js';
import { canReread } from './can-reread.js';
import type { LeasedItem } from './work-item.js';
import { WORKER_OPTIONS, type WorkerOptions } from './worker-options.js';

export type RereadResult =
  /** Run it: with the answer, or without one where none is needed or can be had. */
  | { readonly kind: 'ready'; readonly item: LeasedItem }
  /** Put it off; no attempt is counted. */
  | { readonly kind: 'later'; readonly dueAt: number };

/**
 * Asks WeCom's API where rank cannot settle a second (protocol.md, "Order"). Before the run is counted and outside of any
 * transaction: a slow API holds no lock and costs no attempt. The entity's version is read before the question, so that
 * the answer is not used for an entity that has moved since.
 */
@Injectable()
export class Rereads {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sagas: SagaStore,
    private readonly clock: Clock,
    private readonly log: Log,
    @Inject(WORKER_OPTIONS) private readonly options: WorkerOptions,
  ) {}

  /** Rejects when the database is away, or with the lease's reason. */
  async settle(item: LeasedItem): Promise<RereadResult> {
    const { event, entity, handler, identity } = item;
    const rereader = handler?.handler.rereader;
    const now = this.clock.now();
    if (!event || !entity || !handler || !rereader || !canReread(item, this.options, now))
      return { kind: 'ready', item };
    const loaded = await this.unitOfWork.read((tx) => this.sagas.load(tx, [entity]));
    const before = loaded.get(entity.key) ?? UNSEEN;
    const at = { nowMs: now, receivedAtMs: identity.receivedAt, reread: { kind: 'ask' }, otherRank: null } as const;
    const decision = decide(before, event, entity.type, handler.machine, at);
    if (decision.kind !== 'reread') return { kind: 'ready', item };
    if (decision.notBeforeMs > now) return { kind: 'later', dueAt: decision.notBeforeMs };
    try {
      const finding = await rereader.ask(event, { app: identity.app, signal: item.lease.signal });
      this.log.info('entity.reread', { eventKey: identity.eventKey, entityKey: entity.key, finding });
      return { kind: 'ready', item: { ...item, reread: { version: before.version, finding } } };
    } catch (error) {
      item.lease.signal.throwIfAborted();
      this.log.warn('entity.not_reread', { eventKey: identity.eventKey, entityKey: entity.key, error: String(error) });
      // Only a setting can change that, and those behind it wait: the rank decides at once.
      if (error instanceof WecomApiRefusedError) return { kind: 'ready', item: { ...item, rereadRefused: true } };
      return { kind: 'later', dueAt: this.clock.now() + this.options.rereadEveryMs };
    }
  }
}
