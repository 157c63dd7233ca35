import { describe, expect, it } from 'vitest';
import { lacking, ruleText, type AccessRule } from './access-rule.js';
import { ADMIN_ROLES, permissionsOf, permissionsText } from './admin-role.js';

const PAYLOAD: AccessRule = { role: 'operator', permission: 'payload' };

describe('a rule', () => {
  it.each([
    ['open', [true, true, true]],
    ['viewer', [true, true, true]],
    ['operator', [false, true, true]],
    ['admin', [false, false, true]],
    [PAYLOAD, [false, false, false]],
    [undefined, [false, false, false]],
  ] as const)('%j lets in viewer, operator, admin: %j', (rule, allowed) => {
    expect(ADMIN_ROLES.map((role) => lacking(rule, { role, permissions: [] }) === null)).toEqual(allowed);
  });

  it('with a permission lets in who has both', () => {
    expect(lacking(PAYLOAD, { role: 'viewer', permissions: ['payload'] })).toBe('this needs the role operator');
    expect(lacking(PAYLOAD, { role: 'admin', permissions: [] })).toBe('this needs the permission payload');
    expect(lacking(PAYLOAD, { role: 'operator', permissions: ['payload'] })).toBeNull();
  });

  it('is told to people', () => {
    expect([ruleText('open'), ruleText('admin'), ruleText(PAYLOAD)]).toEqual([
      ...['Needs no session and no token.', 'Needs the role admin.'],
      'Needs the role operator and the permission payload.',
    ]);
  });
});

describe('permissions in a column', () => {
  it('come back, and those of another version grant nothing', () => {
    expect(permissionsOf(permissionsText(['payload']))).toEqual(['payload']);
    expect([permissionsOf(''), permissionsOf('everything'), permissionsOf('x,payload')]).toEqual([[], [], ['payload']]);
  });
});
