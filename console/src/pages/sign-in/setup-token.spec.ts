import { expect, it } from 'vitest';
import { setupTokenOf } from './setup-token.js';

it.each([
  ['#token=abc-_9', 'abc-_9'],
  ['#token=a%2Fb%2B%3D', 'a/b+='],
  ['#token=', null],
  ['#other=1', null],
  ['', null],
])('reads %j as %j', (hash, token) => {
  expect(setupTokenOf(hash)).toBe(token);
});
