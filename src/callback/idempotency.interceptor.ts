import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { of, tap, type Observable } from 'rxjs';
import { CallbackMetrics } from './callback-metrics.js';
import { Claims } from './claims.js';
import { SUCCESS } from './callback-answer.js';
import type { CallbackRequest } from './verified-callback.js';

/** Second step of the walk, around the controller: `claim` before the publish, `confirm` after it. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly claims: Claims,
    private readonly metrics: CallbackMetrics,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<CallbackRequest>();
    const { callback } = request;
    if (!callback) throw new Error('the signature guard did not run');
    const claim = await this.claims.claim(callback);
    if (claim.kind === 'duplicate') {
      this.metrics.answered(callback, 'duplicate');
      return of(SUCCESS);
    }
    request.guardAnswer = claim.answer;
    // Only a publish that was acknowledged gets here: the controller throws otherwise.
    return next.handle().pipe(tap(() => void this.claims.confirm(callback, claim.token)));
  }
}
