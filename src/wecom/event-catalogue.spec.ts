import { describe, expect, it } from 'vitest';
import { EVENT_CATALOGUE, findCatalogueRow, listShapeOf } from './event-catalogue.js';

describe('the event catalogue', () => {
  it('has one row for an event type and change type', () => {
    const names = EVENT_CATALOGUE.map(({ eventType, changeType }) => `${eventType}/${changeType}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(names.length).toBeGreaterThan(150);
  });

  it('keeps the misspellings that WeCom really sends', () => {
    expect(findCatalogueRow('change_editon', null)?.family).toBe('order');
    expect(findCatalogueRow('smart_sheet_change', 'add_filed')?.lists).toEqual(['FieldId']);
  });

  it('finds a row by both types', () => {
    expect(findCatalogueRow('change_external_chat', 'update')?.family).toBe('customer-group');
    expect(findCatalogueRow('change_external_chat', 'brand_new')).toBeUndefined();
    expect(findCatalogueRow('future_event', null)).toBeUndefined();
    expect(findCatalogueRow('__proto__', null)).toBeUndefined();
  });

  it('takes the lists of the whole event type for a change type that nobody has listed', () => {
    expect([...listShapeOf('change_external_chat', 'brand_new').children.keys()]).toEqual(['MemChangeList']);
    expect([...listShapeOf('change_external_chat', 'create').children.keys()]).toEqual([]);
    expect([...listShapeOf('future_event', null).children.keys()]).toEqual([]);
  });
});
