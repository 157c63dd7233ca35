import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Log } from '../observability/log.js';
import { CallbackMetrics } from './callback-metrics.js';
import { CallbackRefusedError, NotDurableError } from './callback-errors.js';
import { NegativeAnswers } from './negative-answers.js';
import type { CallbackRequest } from './verified-callback.js';

// One status and one text for all that is refused: which check failed is an oracle for whoever forges callbacks.
const REFUSED_STATUS = 403;
const NOT_FOUND_STATUS = 404;

/** Answers of the callback URLs other than `success`: short, plain text, without a reason. The log has the reason. */
@Catch()
export class CallbackExceptionFilter implements ExceptionFilter {
  constructor(
    private readonly negative: NegativeAnswers,
    private readonly metrics: CallbackMetrics,
    private readonly log: Log,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const request = host.switchToHttp().getRequest<CallbackRequest>();
    if (error instanceof CallbackRefusedError) {
      const { code, app, reason, officialCode } = error;
      this.metrics.refused(app, code);
      this.log.warn('callback.refused', { code, app, reason, officialCode });
      plain(reply, code === 'WECOM_APP_UNKNOWN' ? NOT_FOUND_STATUS : REFUSED_STATUS, 'refused');
      return;
    }
    if (error instanceof HttpException) {
      plain(reply, error.getStatus(), 'refused');
      return;
    }
    // Whatever else went wrong: the event is not known to be durable, so this is no `success`.
    const { callback } = request;
    const cause = error instanceof NotDurableError ? error.cause : error;
    this.log.error('callback.not_kept', {
      app: callback?.app.name,
      eventKey: callback?.eventKey,
      error: String(cause),
    });
    if (!callback) {
      plain(reply, 503, 'unavailable');
      return;
    }
    this.metrics.answered(callback, 'not-durable');
    this.negative.answer(callback, reply);
  }
}

function plain(reply: FastifyReply, status: number, text: string): void {
  void reply.status(status).type('text/plain; charset=utf-8').send(text);
}
