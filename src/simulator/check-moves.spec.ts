import { describe, expect, it } from 'vitest';
import type { LedgerRow } from './admin-client.js';
import { checkMoves } from './check-moves.js';

const ENTITY = 'demo/ww1/customer-relation/ZhangSan%2Fwm1';
const CHANGE_TYPES: Record<string, string> = {
  add: 'add_external_contact',
  edit: 'edit_external_contact',
  leave: 'del_follow_user',
  addAgain: 'add_external_contact',
};

function plaintextOf(eventKey: string): string | null {
  const changeType = CHANGE_TYPES[eventKey];
  if (changeType === undefined) return null;
  return `<xml><MsgType>event</MsgType><Event>change_external_contact</Event><ChangeType>${changeType}</ChangeType></xml>`;
}

function moves(...rows: [eventKey: string, fromState: string, toState: string][]): LedgerRow[] {
  return rows.map(([eventKey, fromState, toState], id) => ({
    ...{ id, entityKey: ENTITY, eventKey, fromState, toState },
    ...{ createTime: 0, eventRank: 0 },
  }));
}

describe('checkMoves', () => {
  it('finds nothing in a legal history', () => {
    const legal = moves(
      ['add', 'NONE', 'ACTIVE'],
      ['edit', 'ACTIVE', 'ACTIVE'],
      ['leave', 'ACTIVE', 'DELETED_BY_CUSTOMER'],
      ['addAgain', 'DELETED_BY_CUSTOMER', 'ACTIVE'],
    );
    expect(checkMoves(legal, plaintextOf)).toEqual([]);
  });

  it('finds an event that was applied without a state machine among others that were applied with it', () => {
    const found = checkMoves(moves(['add', 'NONE', 'ACTIVE'], ['leave', 'ACTIVE', 'ACTIVE']), plaintextOf);
    expect(found).toMatchObject([{ eventKey: 'leave', entityKey: ENTITY }]);
    const other = moves(['add', '', '']).map((row) => ({ ...row, entityKey: `${ENTITY}x` }));
    expect(checkMoves([...moves(['add', 'NONE', 'ACTIVE']), ...other], plaintextOf)).toMatchObject([
      { eventKey: 'add', entityKey: `${ENTITY}x` },
    ]);
  });

  it('finds an effect on a state that was already gone, once', () => {
    const found = checkMoves(
      moves(
        ['add', 'NONE', 'ACTIVE'],
        ['leave', 'HALF', 'DELETED_BY_CUSTOMER'],
        ['addAgain', 'DELETED_BY_CUSTOMER', 'ACTIVE'],
      ),
      plaintextOf,
    );
    expect(found).toMatchObject([{ eventKey: 'leave' }]);
  });

  it('has nothing to say about a service that runs without the built-in handler', () => {
    expect(checkMoves(moves(['add', '', ''], ['leave', '', '']), plaintextOf)).toEqual([]);
    expect(checkMoves(moves(['add', 'new', 'friend']), plaintextOf)).toEqual([]);
  });
});
