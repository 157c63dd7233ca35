import { hash } from 'node:crypto';
import type { Claims, Claim } from '../../../src/callback/claims.js';
import type { EventPublisher } from '../../../src/callback/event-publisher.js';
import type { FileSpool } from '../../../src/callback/file-spool.js';
import type { SignatureGuard } from '../../../src/callback/signature.guard.js';
import type { CallbackRequest, VerifiedCallback } from '../../../src/callback/verified-callback.js';
import type { IdempotencyStore } from '../../../src/idempotency/idempotency-store.js';
import type { Disk } from '../../../src/runtime/disk.js';
import type { Transport } from '../../../src/transport/transport.js';
import type { Mutation } from '../roles/mutation.js';
import { patch } from './patch.js';

/** Wrong on the way from WeCom to the transport. */
export const REQUEST_PATH_MUTANTS: readonly Mutation[] = [
  {
    name: 'two guard states: a claim reads as PROCESSING',
    replace: {
      guard: (guard: IdempotencyStore) =>
        patch(guard, (right) => ({
          claim: async (key: string, token: string, ttlMs: number) => {
            const result = await right.claim(key, token, ttlMs);
            return result === 'received' ? 'processing' : result;
          },
        })),
    },
  },
  {
    name: 'answer on RECEIVED once the wait is over',
    replace: {
      claims: (claims: Claims) =>
        patch(claims, (right) => ({
          claim: async (callback: VerifiedCallback) => {
            const claim: Claim = await right.claim(callback);
            return claim.kind === 'publish' && claim.answer === 'own-copy' ? { kind: 'duplicate' } : claim;
          },
        })),
    },
  },
  {
    name: 'publish after the answer',
    replace: {
      publisher: (publisher: EventPublisher) =>
        patch(publisher, (right) => ({
          publish: (...given: Parameters<EventPublisher['publish']>) => {
            right.publish(...given).catch(() => undefined);
            return Promise.resolve('published');
          },
        })),
    },
  },
  {
    name: 'confirm before the publish',
    replace: {
      claims: (claims: Claims) =>
        patch(claims, (right) => ({
          claim: async (callback: VerifiedCallback) => {
            const claim: Claim = await right.claim(callback);
            if (claim.kind === 'publish') await right.confirm(callback, claim.token);
            return claim;
          },
        })),
    },
  },
  {
    name: 'answer before fsync',
    replace: {
      disk: (disk: Disk) =>
        patch(disk, (right) => ({
          openAppend: async (path: string) => ({ ...(await right.openAppend(path)), sync: () => Promise.resolve() }),
        })),
    },
  },
  {
    name: 'spool frame removed before its publish',
    replace: {
      spool: (spool: FileSpool) => {
        const { drain } = spool as unknown as { drain: DrainInside };
        Object.assign(drain, {
          publishBatch: async (segment: unknown, waiting: readonly Frame[]) => {
            const batch = waiting.slice(0, 5).map(({ message }) => message);
            drain.segments.published(segment, batch.length);
            await drain.publish(batch[0]?.topic ?? '', batch);
          },
        });
      },
    },
  },
  {
    name: 'spool overtaken',
    replace: { spool: (spool: FileSpool) => patch(spool, () => ({ isHolding: () => false })) },
  },
  {
    name: 'a publish without an answer counts as published',
    replace: {
      transport: (transport: Transport) =>
        patch(transport, (right) => ({
          publish: (...given: Parameters<Transport['publish']>) => right.publish(...given).catch(() => undefined),
        })),
    },
  },
  {
    name: 'a spool that failed counts as spooled',
    replace: {
      publisher: (publisher: EventPublisher) =>
        patch(publisher, (right) => ({
          publish: (...given: Parameters<EventPublisher['publish']>) => right.publish(...given).catch(() => 'spooled'),
        })),
    },
  },
  {
    name: 'field-list identity',
    replace: {
      signatureGuard: (guard: SignatureGuard) =>
        patch(guard, (right) => ({
          canActivate: (context: Parameters<SignatureGuard['canActivate']>[0]) => {
            const passes = right.canActivate(context);
            const request = context.switchToHttp().getRequest<CallbackRequest>();
            const { callback } = request;
            if (callback?.event) {
              const { corpId, eventType, changeType, createTime } = callback.event;
              const fields = [callback.app.name, corpId, 'sys', createTime, eventType, changeType];
              request.callback = { ...callback, eventKey: hash('sha256', fields.join('\n'), 'hex') };
            }
            return passes;
          },
        })),
    },
  },
  {
    name: 'receiver and corp left out of the identity',
    replace: {
      signatureGuard: (guard: SignatureGuard) =>
        patch(guard, (right) => ({
          canActivate: (context: Parameters<SignatureGuard['canActivate']>[0]) => {
            const passes = right.canActivate(context);
            const request = context.switchToHttp().getRequest<CallbackRequest>();
            const { callback } = request;
            if (callback) {
              const text = callback.plaintext.replace(/<ToUserName>.*?<\/ToUserName>/, '');
              request.callback = { ...callback, eventKey: hash('sha256', text, 'hex') };
            }
            return passes;
          },
        })),
    },
  },
  {
    name: 'no ordering key of the entity',
    replace: {
      publisher: (publisher: EventPublisher) =>
        patch(publisher, (right) => ({
          publish: (callback: VerifiedCallback, answer: 'claimed') =>
            right.publish({ ...callback, entityKey: null }, answer),
        })),
    },
  },
];

interface Frame {
  readonly message: { readonly topic: string; readonly orderingKey: string; readonly body: string };
}

interface DrainInside {
  readonly segments: { published(segment: unknown, count: number): void };
  publish(topic: string, batch: readonly Frame['message'][]): Promise<void>;
}
