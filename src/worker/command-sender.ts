import { Inject, Injectable } from '@nestjs/common';
import type { PendingCommand } from '../saga/outbox.js';
import { Transport } from '../transport/transport.js';
import { WORKER_OPTIONS, type WorkerOptions } from './worker-options.js';

/** The other side did not accept a command. */
export class CommandRefusedError extends Error {
  readonly code = 'COMMAND_REFUSED';

  constructor(readonly status: number) {
    super(`answered ${status}`);
    this.name = 'CommandRefusedError';
  }
}

/** Sends one command. Rejects when it was not accepted, or when nobody knows. */
@Injectable()
export class CommandSender {
  constructor(
    private readonly transport: Transport,
    @Inject(WORKER_OPTIONS) private readonly options: WorkerOptions,
  ) {}

  async send({ command, idempotencyKey }: PendingCommand): Promise<void> {
    if (command.kind === 'topic') {
      await this.transport.publish(command.topic, [{ orderingKey: command.key, body: command.body }]);
      return;
    }
    const response = await fetch(command.url, {
      method: 'POST',
      body: command.body,
      headers: { 'content-type': 'application/json', ...command.headers, 'idempotency-key': idempotencyKey },
      redirect: 'error',
      signal: AbortSignal.timeout(this.options.outboxTimeoutMs),
    });
    await response.body?.cancel();
    if (!response.ok) throw new CommandRefusedError(response.status);
  }
}
