import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CONFIG, type Config } from '../config/config.js';
import { Clock, type Timer } from '../runtime/clock.js';
import type { VerifiedCallback } from './verified-callback.js';

/**
 * What WeCom gets for an event that could be kept nowhere. Hanging past its limit is the default: a time-out is retried
 * under every reading of WeCom's documents, and no proxy turns it into an answer of its own.
 */
@Injectable()
export class NegativeAnswers {
  private readonly hanging = new Map<FastifyReply, Timer>();

  constructor(
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  answer(callback: VerifiedCallback, reply: FastifyReply): void {
    const mode = callback.app.nackMode;
    if (mode === '503') {
      void reply.status(503).type('text/plain; charset=utf-8').send('unavailable');
      return;
    }
    reply.hijack();
    if (mode === 'hang' && this.hanging.size < this.config.hungRequestsMax) this.hang(callback, reply);
    else this.end(reply);
  }

  /** On shutdown: nobody waits for these any more. */
  endAll(): void {
    for (const reply of [...this.hanging.keys()]) this.end(reply);
  }

  private hang(callback: VerifiedCallback, reply: FastifyReply): void {
    const timer = this.clock.after(callback.budget.hangMs, () => this.end(reply));
    this.hanging.set(reply, timer);
    reply.raw.once('close', () => this.end(reply));
  }

  private end(reply: FastifyReply): void {
    this.hanging.get(reply)?.cancel();
    this.hanging.delete(reply);
    reply.raw.socket?.resetAndDestroy();
  }
}
