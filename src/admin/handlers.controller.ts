import { EntityTypeRegistry } from '../entity-types/entity-type-registry.js';
import { HandlerRegistry } from '../handlers/handler-registry.js';
import { Metrics } from '../observability/metrics.js';
import { AdminController, AdminGet } from './admin-controller.decorator.js';
import { shown } from './view-fields.js';

export class HandlerView {
  @shown.text({ description: 'event or event/changeType' })
  event!: string;

  @shown.text()
  name!: string;

  @shown.flag()
  builtIn!: boolean;

  @shown.text({ nullable: true })
  machine!: string | null;

  @shown.text({ nullable: true })
  entityType!: string | null;

  @shown.one(['strict', 'latest'], { nullable: true })
  order!: string | null;

  @shown.counts({
    description: 'Decisions about events of this event type, all change types, by this process since its start',
  })
  decisions!: Record<string, number>;
}

export class HandlersView {
  @shown.list(() => HandlerView)
  items!: HandlerView[];
}

@AdminController('handlers')
export class HandlersController {
  constructor(
    private readonly handlers: HandlerRegistry,
    private readonly entityTypes: EntityTypeRegistry,
    private readonly metrics: Metrics,
  ) {}

  @AdminGet('', 'viewer', HandlersView, 'Which code takes which event')
  async list(): Promise<HandlersView> {
    const decided = await this.decided();
    const items = this.handlers.list().map(({ event, name, builtIn, machine }): HandlerView => {
      const [eventType = '', ...rest] = event.split('/');
      const type = this.entityTypes.typeOf(eventType, rest.length > 0 ? rest.join('/') : null);
      return {
        ...{ event, name, builtIn, machine: machine?.name ?? null },
        ...{ entityType: type?.name ?? null, order: type?.order ?? null, decisions: decided.get(eventType) ?? {} },
      };
    });
    return { items };
  }

  private async decided(): Promise<Map<string, Record<string, number>>> {
    const metric = await this.metrics.registry.getSingleMetric('wecom_events_decided_total')?.get();
    const found = new Map<string, Record<string, number>>();
    for (const { labels, value } of metric?.values ?? []) {
      const { event_type: eventType = '', status = '' } = labels as Record<string, string>;
      found.set(eventType, { ...found.get(eventType), [status]: value });
    }
    return found;
  }
}
