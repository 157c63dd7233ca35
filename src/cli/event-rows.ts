import { printable, table, timeText } from './printable.js';

/** What the admin API says of an event, as far as a list shows it. */
export interface EventItem {
  readonly id: number;
  readonly status: string;
  readonly generation: number;
  readonly attempt: number;
  readonly app: string;
  readonly eventType: string;
  readonly changeType: string | null;
  readonly entityKey: string | null;
  readonly receivedAt: number;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

export interface Decision {
  readonly at: number;
  readonly actor: string;
  readonly decision: string;
  readonly reason: string;
  readonly generation: number;
  readonly attempt: number;
}

export interface TailItem extends Decision {
  readonly id: number;
  readonly eventId: number | null;
  readonly app: string | null;
  readonly eventType: string | null;
  readonly changeType: string | null;
  readonly entityKey: string | null;
}

export function eventLines(items: readonly EventItem[]): string[] {
  const rows = items.map((item) => [
    String(item.id),
    timeText(item.receivedAt),
    item.status,
    typeText(item.eventType, item.changeType),
    printable(item.entityKey ?? '-'),
    printable(item.errorCode === null ? '' : `${item.errorCode}: ${item.errorMessage ?? ''}`),
  ]);
  return table([['ID', 'RECEIVED (UTC)', 'STATUS', 'EVENT', 'ENTITY', 'ERROR'], ...rows]);
}

export function decisionLines(items: readonly Decision[]): string[] {
  const rows = items.map((item) => [
    timeText(item.at),
    item.decision,
    `generation ${item.generation}, attempt ${item.attempt}`,
    printable(item.actor),
    printable(item.reason),
  ]);
  return table(rows);
}

export function tailLine(item: TailItem): string {
  const event = item.eventId === null ? 'purged' : `event ${item.eventId}`;
  const type = item.eventType === null ? '' : typeText(item.eventType, item.changeType);
  const entity = item.entityKey === null ? '' : printable(item.entityKey);
  const parts = [timeText(item.at), item.decision.padEnd(9), event, type, entity, printable(item.reason)];
  return parts.filter((part) => part !== '').join('  ');
}

function typeText(eventType: string, changeType: string | null): string {
  return printable(changeType === null ? eventType : `${eventType}/${changeType}`);
}
