import { Controller, Get, Header, HttpCode, Post, Req, UseFilters, UseGuards, UseInterceptors } from '@nestjs/common';
import { RouteConstraints } from '@nestjs/platform-fastify';
import { CALLBACK_LISTENER } from '../observability/listener.js';
import { CallbackExceptionFilter } from './callback-exception.filter.js';
import { CALLBACK_PATH } from './callback-route.js';
import { CallbackMetrics } from './callback-metrics.js';
import { CallbackOpener, type Query } from './callback-opener.js';
import { SUCCESS } from './callback-answer.js';
import { EventPublisher } from './event-publisher.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { SignatureGuard } from './signature.guard.js';
import type { CallbackRequest } from './verified-callback.js';

/** The URLs that an administrator enters in WeCom's console: `/wecom/callbacks/<app>`. */
@Controller(CALLBACK_PATH)
@UseFilters(CallbackExceptionFilter)
export class CallbackController {
  constructor(
    private readonly publisher: EventPublisher,
    private readonly opener: CallbackOpener,
    private readonly metrics: CallbackMetrics,
  ) {}

  /** URL verification: the bare decrypted text within one second, each time somebody presses Save. */
  @Get(':app')
  @RouteConstraints(CALLBACK_LISTENER)
  @Header('Content-Type', 'text/plain; charset=utf-8')
  verify(@Req() request: CallbackRequest): string {
    const app = this.opener.app(request.params.app);
    return this.opener.openEcho(app, request.query as Query).plaintext;
  }

  /** Third step of the walk. `success` only when the event is durable. */
  @Post(':app')
  @RouteConstraints(CALLBACK_LISTENER)
  @HttpCode(200)
  @Header('Content-Type', 'text/plain; charset=utf-8')
  @UseGuards(SignatureGuard)
  @UseInterceptors(IdempotencyInterceptor)
  async receive(@Req() request: CallbackRequest): Promise<string> {
    const { callback, guardAnswer } = request;
    if (!callback || !guardAnswer) throw new Error('a step of the walk was left out');
    this.metrics.answered(callback, await this.publisher.publish(callback, guardAnswer));
    return SUCCESS;
  }
}
