import { Inject } from '@nestjs/common';
import { CONFIG, type App, type Config } from '../config/config.js';
import { AdminController, AdminGet } from './admin-controller.decorator.js';
import { EventSearch } from './event-search.js';
import { eventView } from './event-view.js';
import { shown } from './view-fields.js';

const PAIRS = ['current', 'next'] as const;
const MASK = '••••••••';
// Of an app's newest events; enough to tell which pair WeCom signs with, and since when not the other.
const EVENTS_LOOKED_AT = 200;

export class KeyPairView {
  @shown.one(PAIRS)
  pair!: (typeof PAIRS)[number];

  @shown.text({ description: 'Never the token' })
  token!: string;

  @shown.text({ description: 'Never the key' })
  encodingAesKey!: string;

  @shown.time({ nullable: true, description: `Newest of the app's last ${EVENTS_LOOKED_AT} events that it opened` })
  lastWorkedAt!: number | null;
}

export class AppView {
  @shown.text()
  name!: string;

  @shown.text({ description: 'Behind the address under which WeCom reaches this service' })
  callbackPath!: string;

  @shown.texts({ description: 'Accepted receive ids; empty text for AI bots' })
  receiveIds!: string[];

  @shown.text()
  envelope!: string;

  @shown.integer({ description: 'WeCom gives up after this long' })
  deadlineMs!: number;

  @shown.text()
  nackMode!: string;

  @shown.list(() => KeyPairView)
  keyPairs!: KeyPairView[];

  @shown.one(['none', 'waiting', 'switched'], {
    description:
      'none: one pair; waiting: WeCom still signs with the current pair, or nothing came yet; switched: with the next, which may take the place of the current one',
  })
  rotation!: 'none' | 'waiting' | 'switched';

  @shown.time({ nullable: true })
  lastEventAt!: number | null;
}

export class AppsView {
  @shown.list(() => AppView)
  items!: AppView[];
}

@AdminController('apps')
export class AppsController {
  constructor(
    private readonly events: EventSearch,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @AdminGet('', 'viewer', AppsView, 'Receivers: URL, masked keys, which pair last worked')
  async list(): Promise<AppsView> {
    const items: AppView[] = [];
    for (const app of this.config.apps.values()) items.push(await this.view(app));
    return { items };
  }

  private async view(app: App): Promise<AppView> {
    const { rows } = await this.events.page({ app: app.name }, null, EVENTS_LOOKED_AT);
    const events = rows.map((row) => ({ at: row.receivedAt, pair: pairOf(eventView(row).gateway) }));
    const { name, envelope, deadlineMs, nackMode, receiveIds } = app;
    const newest = events.find(({ pair }) => pair !== null);
    const rotation = app.credentials.length < 2 ? 'none' : newest?.pair === 'next' ? 'switched' : 'waiting';
    return {
      ...{
        name,
        callbackPath: `/wecom/callbacks/${name}`,
        receiveIds: [...receiveIds],
        envelope,
        deadlineMs,
        nackMode,
      },
      keyPairs: PAIRS.slice(0, app.credentials.length).map((pair) => {
        const lastWorkedAt = events.find((event) => event.pair === pair)?.at ?? null;
        return { pair, token: MASK, encodingAesKey: MASK, lastWorkedAt };
      }),
      ...{ rotation, lastEventAt: events[0]?.at ?? null },
    };
  }
}

function pairOf(gateway: object): string | null {
  const pair = (gateway as { keyPair?: unknown }).keyPair;
  return typeof pair === 'string' ? pair : null;
}
