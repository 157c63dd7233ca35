import { Catch, HttpStatus, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { TooManyAttemptsError } from '../access/too-many-attempts-error.js';

/** 429, and after how many seconds to come again. */
@Catch(TooManyAttemptsError)
export class TooManyAttemptsFilter implements ExceptionFilter<TooManyAttemptsError> {
  catch({ message, retryAfterMs }: TooManyAttemptsError, host: ArgumentsHost): void {
    const statusCode = HttpStatus.TOO_MANY_REQUESTS;
    void host
      .switchToHttp()
      .getResponse<FastifyReply>()
      .status(statusCode)
      .header('retry-after', String(Math.ceil(retryAfterMs / 1_000)))
      .send({ statusCode, message });
  }
}
