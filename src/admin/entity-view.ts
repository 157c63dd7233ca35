import { EventView } from './event-view.js';
import { TailItemView } from './history-view.js';
import { shown } from './view-fields.js';

export class ChangeView {
  @shown.text()
  entityKey!: string;

  @shown.text()
  eventKey!: string;

  @shown.text({ description: 'Empty without a state machine' })
  fromState!: string;

  @shown.text()
  toState!: string;

  @shown.integer({ nullable: true, description: 'Seconds since 1970, as WeCom sent it' })
  createTime!: number | null;

  @shown.integer()
  eventRank!: number;

  @shown.time({ description: 'When it was applied' })
  at!: number;
}

export class LedgerChangeView extends ChangeView {
  @shown.integer()
  id!: number;
}

export class LedgerView {
  @shown.list(() => LedgerChangeView, { description: 'Effects in commit order' })
  items!: LedgerChangeView[];
}

export class MoveView {
  @shown.text()
  from!: string;

  @shown.text()
  trigger!: string;

  @shown.text()
  to!: string;

  @shown.flag({ description: 'Legal only for some events of that kind' })
  guarded!: boolean;

  @shown.flag({ description: 'Applied and marked unconfirmed' })
  unconfirmed!: boolean;
}

export class MachineView {
  @shown.text()
  name!: string;

  @shown.text()
  initial!: string;

  @shown.texts()
  states!: string[];

  @shown.texts({ description: 'States in which the object is gone' })
  tombstones!: string[];

  @shown.list(() => MoveView, { description: 'What is not here is an illegal move' })
  moves!: MoveView[];
}

export class EntityView {
  @shown.text()
  key!: string;

  @shown.text({ description: 'The key in base64url' })
  ref!: string;

  @shown.text({ nullable: true, description: 'Null when no event of it was applied yet, as below' })
  receiver!: string | null;

  @shown.text({ nullable: true })
  corpId!: string | null;

  @shown.text({ nullable: true })
  entityType!: string | null;

  @shown.text({ nullable: true })
  entityId!: string | null;

  @shown.text({ nullable: true })
  order!: string | null;

  @shown.text({ description: 'Empty without a state machine' })
  state!: string;

  @shown.integer({ description: 'Events applied' })
  version!: number;

  @shown.integer({ nullable: true, description: 'CreateTime of the last event applied, seconds since 1970' })
  lastEventTime!: number | null;

  @shown.integer({ nullable: true })
  lastRank!: number | null;

  @shown.integer({ description: 'Ranks met within its last second, a bit each' })
  secondRanks!: number;

  @shown.flag()
  unconfirmed!: boolean;

  @shown.flag({ description: 'The object is gone' })
  tombstone!: boolean;

  @shown.view(() => MachineView, { nullable: true })
  machine!: MachineView | null;

  @shown.list(() => ChangeView, { description: 'What was applied, oldest first' })
  changes!: ChangeView[];

  @shown.list(() => TailItemView, { description: 'All decisions about its events with their reasons, the last 1,000' })
  decisions!: TailItemView[];

  @shown.list(() => EventView, { description: 'Its events that wait, newest received first' })
  waiting!: EventView[];
}
