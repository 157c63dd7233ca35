import { Injectable } from '@nestjs/common';
import { Clock } from '../runtime/clock.js';
import { decodeMessage } from '../transport/message-codec.js';
import type { Delivery } from '../transport/transport.js';
import { WorkItemFactory } from './work-item-factory.js';
import type { WorkItem } from './work-item.js';

export interface ReadBatch {
  readonly items: readonly WorkItem[];
  /** Of a version that this worker does not know: left unsettled, so that they wait for one that does. */
  readonly newer: readonly { readonly delivery: Delivery; readonly version: number }[];
}

/** Turns deliveries into work items; a record that is no message becomes a dead letter, not an error. */
@Injectable()
export class MessageReader {
  constructor(
    private readonly factory: WorkItemFactory,
    private readonly clock: Clock,
  ) {}

  read(batch: readonly Delivery[]): ReadBatch {
    const items: WorkItem[] = [];
    const newer: { delivery: Delivery; version: number }[] = [];
    const blocked = new Set<string>();
    for (const delivery of batch) {
      // Nothing of an ordering key may overtake what waits.
      if (blocked.has(delivery.orderingKey)) continue;
      const decoded = decodeMessage(delivery.body);
      if (decoded.kind === 'message') items.push(this.factory.fromMessage(delivery, decoded.message));
      else if (decoded.kind === 'foreign')
        items.push(this.factory.fromForeign(delivery, decoded.reason, this.clock.now()));
      else {
        newer.push({ delivery, version: decoded.version });
        blocked.add(delivery.orderingKey);
      }
    }
    return { items, newer };
  }
}
