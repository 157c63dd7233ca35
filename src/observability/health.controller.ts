import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthCheckResult } from '@nestjs/terminus';
import type { FastifyReply } from 'fastify';
import { HealthRegistry, type PartHealth } from './health-registry.js';

/** On both ports. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly registry: HealthRegistry,
  ) {}

  /** The process only: restarting it mends nothing that lies outside of it. */
  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 200 while this role can do its job; the body names every part. Terminus answers 503 otherwise. */
  @Get('ready')
  ready(): Promise<HealthCheckResult> {
    const { parts } = this.registry.check();
    return this.health.check(
      Object.entries(parts).map(
        ([name, part]) =>
          () =>
            this.indicator(name, part),
      ),
    );
  }

  @Get()
  summary(@Res({ passthrough: true }) reply: FastifyReply): object {
    const { ready, parts } = this.registry.check();
    if (!ready) void reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    return { live: true, ready, parts };
  }

  private indicator(name: string, part: PartHealth) {
    const check = this.indicators.check(name);
    const { status, ...details } = part;
    return status === 'down' ? check.down(details) : check.up({ degraded: status === 'degraded', ...details });
  }
}
