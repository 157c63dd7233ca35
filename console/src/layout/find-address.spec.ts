import { expect, it } from 'vitest';
import { addressOf } from './find-address.js';

it.each([
  ['  ', null],
  ['#42', '/events/42'],
  ['A'.repeat(64), `/events?eventKey=${'a'.repeat(64)}`],
  ['202612010042', '/events?wecomId=202612010042'],
  ['1234567890123456789', '/events?msgId=1234567890123456789'],
  ['demo/ww1/approval-order/2026%2F1', '/events?entityKey=demo%2Fww1%2Fapproval-order%2F2026%252F1'],
  ['wm/a/b+c/d=', '/events?wecomId=wm%2Fa%2Fb%2Bc%2Fd%3D'],
  [' wmAAA ', '/events?wecomId=wmAAA'],
])('leads %j to %j', (text, address) => {
  expect(addressOf(text)).toBe(address);
});
