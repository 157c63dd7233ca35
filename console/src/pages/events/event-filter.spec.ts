import { describe, expect, it } from 'vitest';
import { addressOf, filterOf, NO_FILTER, queryOf, type EventFilter } from './event-filter.js';

describe('a filter of events', () => {
  it('survives the address, also with ids that hold slashes, plus and equals signs', () => {
    const filter: EventFilter = {
      texts: { wecomId: 'wm/+AAA==&x=1', entityKey: 'demo/ww/order/a%2Fb', text: '企业 微信' },
      ...{ statuses: ['DEAD', 'RETRY'], window: 'h1', from: null, to: null },
    };
    expect(filterOf(new URLSearchParams(addressOf(filter).toString()))).toEqual(filter);
  });

  it('is empty for an address that holds nothing of it, or nothing that it knows', () => {
    expect(filterOf(new URLSearchParams('window=year&from=soon&wecomId=%20&other=1'))).toEqual(NO_FILTER);
    expect(addressOf(NO_FILTER).toString()).toBe('');
  });

  it('goes by times of its own when the address holds one', () => {
    expect(filterOf(new URLSearchParams('window=h1&from=5'))).toMatchObject({ window: 'custom', from: 5, to: null });
  });

  it.each([
    ['window=h1', { from: 1_000 }],
    ['from=7&to=9', { from: 7, to: 9 }],
    ['status=DEAD,RETRY&app=crm', { status: 'DEAD,RETRY', app: 'crm' }],
    ['', {}],
  ])('asks the API for %j as %j', (address, query) => {
    expect(queryOf(filterOf(new URLSearchParams(address)), 3_601_000)).toEqual(query);
  });
});
