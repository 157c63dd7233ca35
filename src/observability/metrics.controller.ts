import { Controller, Get, Header } from '@nestjs/common';
import { RouteConstraints } from '@nestjs/platform-fastify';
import { ADMIN_LISTENER } from './listener.js';
import { Metrics } from './metrics.js';

@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @RouteConstraints(ADMIN_LISTENER)
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  read(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}
