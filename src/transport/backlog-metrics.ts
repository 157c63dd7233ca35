import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { CONFIG, type Config } from '../config/config.js';
import { Metrics } from '../observability/metrics.js';
import { Reading } from '../observability/reading.js';
import { Clock } from '../runtime/clock.js';
import { Transport } from './transport.js';

const READING = { everyMs: 5_000, limitMs: 2_000 };

/** What waits on the transport, for every process that is connected to it; a transport that cannot tell has no value. */
@Injectable()
export class BacklogMetrics {
  constructor(transport: Transport, metrics: Metrics, clock: Clock, @Inject(CONFIG) config: Config) {
    const { eventsTopic, eventsGroup, dlqTopic, dlqGroup } = config;
    const reading = new Reading(
      clock,
      'backlog',
      () => Promise.all([transport.backlog(eventsTopic, eventsGroup), transport.backlog(dlqTopic, dlqGroup)]),
      READING,
    );
    const gauge: Gauge<'topic'> = new Gauge({
      name: 'wecom_transport_backlog_messages',
      help: 'Messages on the transport that are not settled; topic: events, dead_letters.',
      labelNames: ['topic'],
      registers: [metrics.registry],
      collect: async () => {
        const [events, deadLetters] = (await reading.get()) ?? [];
        gauge.reset();
        if (typeof events?.unsettled === 'number') gauge.set({ topic: 'events' }, events.unsettled);
        if (typeof deadLetters?.unsettled === 'number') gauge.set({ topic: 'dead_letters' }, deadLetters.unsettled);
      },
    });
  }
}
