import { EVENT_CATALOGUE_ROWS, type EventCatalogueRow } from './event-catalogue-rows.js';

export type { EventCatalogueRow, EventFamily } from './event-catalogue-rows.js';

/** Where a body may repeat an element: the paths of a row as a tree, to be walked side by side with the body. */
export interface ListShape {
  readonly isList: boolean;
  readonly children: ReadonlyMap<string, ListShape>;
}

interface GrowingShape extends ListShape {
  isList: boolean;
  readonly children: Map<string, GrowingShape>;
}

interface IndexedEvent {
  readonly rows: Map<string | null, EventCatalogueRow>;
  readonly shapes: Map<string | null, ListShape>;
  /** Of all change types together, for one that nobody has listed yet. */
  readonly anyShape: ListShape;
}

const INDEX = buildIndex(EVENT_CATALOGUE_ROWS);
const NO_LISTS: ListShape = shapeOf([]);

/** All rows, for display. */
export const EVENT_CATALOGUE: readonly EventCatalogueRow[] = EVENT_CATALOGUE_ROWS;

/** The row of an event, or undefined: unknown events are ordinary, WeCom adds some every month. */
export function findCatalogueRow(eventType: string, changeType: string | null): EventCatalogueRow | undefined {
  return INDEX.get(eventType)?.rows.get(changeType);
}

export function listShapeOf(eventType: string, changeType: string | null): ListShape {
  const event = INDEX.get(eventType);
  return event?.shapes.get(changeType) ?? event?.anyShape ?? NO_LISTS;
}

function buildIndex(rows: readonly EventCatalogueRow[]): ReadonlyMap<string, IndexedEvent> {
  const index = new Map<string, IndexedEvent>();
  for (const [eventType, ofEvent] of groupByEvent(rows)) {
    index.set(eventType, {
      rows: new Map(ofEvent.map((row) => [row.changeType, row])),
      shapes: new Map(ofEvent.map((row) => [row.changeType, shapeOf(row.lists)])),
      anyShape: shapeOf(ofEvent.flatMap((row) => row.lists)),
    });
  }
  return index;
}

function groupByEvent(rows: readonly EventCatalogueRow[]): Map<string, EventCatalogueRow[]> {
  const groups = new Map<string, EventCatalogueRow[]>();
  for (const row of rows) groups.set(row.eventType, [...(groups.get(row.eventType) ?? []), row]);
  return groups;
}

function shapeOf(paths: readonly string[]): ListShape {
  const root: GrowingShape = { isList: false, children: new Map() };
  for (const path of paths) {
    let shape = root;
    for (const name of path.split('.')) {
      const child = shape.children.get(name) ?? { isList: false, children: new Map<string, GrowingShape>() };
      shape.children.set(name, child);
      shape = child;
    }
    shape.isList = true;
  }
  return root;
}
