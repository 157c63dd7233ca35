import type { ArgumentsHost, CallHandler, ExecutionContext } from '@nestjs/common';
import { from, lastValueFrom } from 'rxjs';
import { SUCCESS } from '../../../src/callback/callback-answer.js';
import { CallbackController } from '../../../src/callback/callback.controller.js';
import { CallbackExceptionFilter } from '../../../src/callback/callback-exception.filter.js';
import type { CallbackMetrics } from '../../../src/callback/callback-metrics.js';
import { CallbackOpener } from '../../../src/callback/callback-opener.js';
import { Claims } from '../../../src/callback/claims.js';
import { EventPublisher } from '../../../src/callback/event-publisher.js';
import { FileSpool } from '../../../src/callback/file-spool.js';
import { IdempotencyInterceptor } from '../../../src/callback/idempotency.interceptor.js';
import { NegativeAnswers } from '../../../src/callback/negative-answers.js';
import { SignatureGuard } from '../../../src/callback/signature.guard.js';
import type { CallbackRequest, VerifiedCallback } from '../../../src/callback/verified-callback.js';
import type { App } from '../../../src/config/config.js';
import { BUILT_IN_ENTITY_TYPES } from '../../../src/entity-types/built-in.js';
import { EntityTypeRegistry } from '../../../src/entity-types/entity-type-registry.js';
import type { IdempotencyStore } from '../../../src/idempotency/idempotency-store.js';
import type { Disk } from '../../../src/runtime/disk.js';
import type { Transport } from '../../../src/transport/transport.js';
import type { MemoryDisk } from '../../support/memory-disk.js';
import { SimDisk } from '../ports/sim-disk.js';
import { SimIdempotencyStore, type GuardServer } from '../ports/sim-guard.js';
import { SimClock, SimLog, SimRandom } from '../ports/sim-runtime.js';
import { SimTransport } from '../ports/sim-transport.js';
import type { Broker } from '../ports/broker.js';
import type { Life } from '../world/life.js';
import type { World } from '../world/world.js';
import { Wiring, type Mutation } from './mutation.js';
import { gatewayConfig, GUARD_TIMEOUT_MS, spoolOptions } from './settings.js';

export interface HttpRequest {
  readonly app: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** `none`: the connection was reset, or nothing ever came. */
export type HttpAnswer =
  | { readonly kind: 'none' }
  | { readonly kind: 'status'; readonly status: number }
  /** What the product says of it: `published`, `spooled` or `duplicate`. */
  | { readonly kind: 'success'; readonly how: string; readonly eventKey: string };

export interface GatewayServers {
  readonly guard: GuardServer;
  readonly broker: Broker;
  readonly disk: MemoryDisk;
  readonly apps: ReadonlyMap<string, App>;
}

export const SPOOL_FOLDER = '/spool';
const entityTypes = new EntityTypeRegistry(BUILT_IN_ENTITY_TYPES);

/** The product's request path and spool, wired by hand as its modules do it, without Nest's HTTP server. */
export class Gateway {
  private readonly signatureGuard: SignatureGuard;
  private readonly interceptor: IdempotencyInterceptor;
  private readonly controller: CallbackController;
  private readonly filter: CallbackExceptionFilter;
  readonly spool: FileSpool;
  private readonly outcomes = new WeakMap<VerifiedCallback, string>();

  constructor(
    private readonly world: World,
    private readonly life: Life,
    servers: GatewayServers,
    mutation: Mutation | null,
  ) {
    const wiring = new Wiring(world, mutation);
    const [clock, log] = [new SimClock(world, life), new SimLog(world, life)];
    const random = new SimRandom(world.seed, life);
    const guard = wiring.part<IdempotencyStore>(
      'guard',
      new SimIdempotencyStore(world, life, servers.guard, GUARD_TIMEOUT_MS),
    );
    const transport = wiring.part<Transport>('transport', new SimTransport(world, life, servers.broker));
    const disk = wiring.part<Disk>('disk', new SimDisk(world, life, servers.disk));
    const config = gatewayConfig(life.name, servers.apps);
    this.spool = wiring.part(
      'spool',
      new FileSpool(disk, clock, (topic, messages) => transport.publish(topic, messages), spoolOptions(SPOOL_FOLDER), {
        warn: (event, fields) => log.warn(event, fields),
      }),
    );
    const claims = wiring.part('claims', new Claims(guard, clock, random, log));
    const publisher = wiring.part('publisher', new EventPublisher(transport, this.spool, clock, log, config));
    const opener = new CallbackOpener(config);
    const metrics = this.metrics();
    this.signatureGuard = wiring.part('signatureGuard', new SignatureGuard(opener, entityTypes, clock, config));
    this.interceptor = new IdempotencyInterceptor(claims, metrics);
    this.controller = new CallbackController(publisher, opener, metrics);
    this.filter = new CallbackExceptionFilter(new NegativeAnswers(clock, config), metrics, log);
  }

  async open(): Promise<void> {
    await this.spool.open();
  }

  /** Resolves when the gateway has answered, or will not. */
  receive({ app, query, body }: HttpRequest): Promise<HttpAnswer> {
    return new Promise((resolve) => {
      const request = { params: { app }, query, body, headers: {} } as unknown as CallbackRequest;
      const reply = replyOf(resolve);
      const host = { switchToHttp: () => ({ getRequest: () => request, getResponse: () => reply }) };
      this.walk(request, host as unknown as ExecutionContext).then(
        (text) => resolve(text === SUCCESS ? this.success(request) : { kind: 'status', status: 200 }),
        (error: unknown) => this.filter.catch(error, host as unknown as ArgumentsHost),
      );
    });
  }

  private async walk(request: CallbackRequest, context: ExecutionContext): Promise<unknown> {
    this.signatureGuard.canActivate(context);
    const next: CallHandler = { handle: () => from(this.controller.receive(request)) };
    return lastValueFrom(await this.interceptor.intercept(context, next));
  }

  private success({ callback }: CallbackRequest): HttpAnswer {
    return {
      kind: 'success',
      how: (callback && this.outcomes.get(callback)) ?? '',
      eventKey: callback?.eventKey ?? '',
    };
  }

  private metrics(): CallbackMetrics {
    const metrics: Pick<CallbackMetrics, 'answered' | 'refused'> = {
      answered: (callback, answer) => void this.outcomes.set(callback, answer),
      refused: (_, code) => this.world.violate('request', `${this.life.name} refused a callback: ${code}`),
    };
    return metrics as CallbackMetrics;
  }
}

function replyOf(resolve: (answer: HttpAnswer) => void): object {
  const reply = {
    status: (status: number) => {
      resolve({ kind: 'status', status });
      return reply;
    },
    type: () => reply,
    send: () => reply,
    hijack: () => undefined,
    raw: { once: () => undefined, socket: { resetAndDestroy: () => resolve({ kind: 'none' }) } },
  };
  return reply;
}
