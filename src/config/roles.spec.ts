import { describe, expect, it } from 'vitest';
import { partsOf, roleFaults, roleWarnings, ROLES, type RoleChoice } from './roles.js';

const OWN = { name: 'sqlite', isShared: false };
const SHARED = { name: 'kafka', isShared: true };
const choice = (role: RoleChoice['role'], engines: Partial<RoleChoice> = {}): RoleChoice => ({
  ...{ role, guard: SHARED, store: SHARED, transport: SHARED },
  ...engines,
});

describe('parts of a role', () => {
  it('leave the database to whoever applies or shows events, never to a gateway', () => {
    expect(ROLES.filter((role) => partsOf(role).database)).toEqual(['all', 'worker', 'admin']);
  });

  it('are each run by all, and by one role of its own', () => {
    for (const part of ['callbacks', 'worker', 'admin'] as const) {
      expect(ROLES.filter((role) => partsOf(role)[part])).toEqual(['all', part === 'callbacks' ? 'gateway' : part]);
    }
  });
});

describe('roles and engines', () => {
  it.each(ROLES)('go together when every engine is shared: %s', (role) => {
    expect(roleFaults(choice(role))).toEqual([]);
    expect(roleWarnings(choice(role))).toEqual([]);
  });

  it('may all be embedded in one process', () => {
    const embedded = choice('all', { guard: OWN, store: OWN, transport: OWN });
    expect([...roleFaults(embedded), ...roleWarnings(embedded)]).toEqual([]);
  });

  it.each(['gateway', 'worker'] as const)('are refused for a %s whose queue nobody else can read', (role) => {
    expect(roleFaults(choice(role, { transport: OWN }))).toEqual([
      expect.stringMatching(new RegExp(`^ROLE: ${role} .*another process cannot read the queue .*TRANSPORT=sqlite`)),
    ]);
  });

  it('need no shared transport for an admin, which uses none', () => {
    expect(roleFaults(choice('admin', { transport: OWN }))).toEqual([]);
  });

  it('are hinted at where a guard or a store serves one process only', () => {
    const memory = { name: 'embedded', isShared: false };
    const warningsOf = (role: RoleChoice['role']) => roleWarnings(choice(role, { guard: memory, store: OWN }));
    expect(warningsOf('gateway')).toEqual([expect.stringContaining('GUARD=embedded')]);
    expect(warningsOf('worker')).toEqual([
      expect.stringContaining('GUARD=embedded'),
      expect.stringContaining('STORE=sqlite'),
    ]);
    expect(warningsOf('admin')).toEqual([expect.stringContaining('STORE=sqlite')]);
  });
});
