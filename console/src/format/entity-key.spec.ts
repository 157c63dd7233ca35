import { expect, it } from 'vitest';
import { entityRefOf as entityRefOfService } from '../../../src/admin/entity-address.js';
import { entityIdOf, entityRefOf } from './entity-key.js';

it.each([
  ['demo/ww1/approval-order/2026', '2026'],
  ['demo/ww1/customer-relation/a%2Fb%2B%3D', 'a/b+='],
  ['demo/ww1/odd/%ud800', '%ud800'],
  ['no slashes', 'no slashes'],
])('tells the id of %s: %s', (key, id) => {
  expect(entityIdOf(key)).toBe(id);
});

it.each(['demo/ww1/order/2026', 'a/b/c/审批?>~', ''])('makes the same address of %j as the service', (key) => {
  expect(entityRefOf(key)).toBe(entityRefOfService(key));
});
