import { describe, expect, it } from 'vitest';
import { dropsSecureCookies, isSameOrigin } from './same-origin.js';

describe('a request', () => {
  it.each([
    [{}, true],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://console.example' }, true],
    [{ 'sec-fetch-site': 'none' }, false],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'cross-site', origin: 'http://10.0.0.1:3001' }, false],
    [{ 'sec-fetch-site': ['same-origin', 'same-origin'] }, false],
    [{ origin: 'http://10.0.0.1:3001' }, true],
    [{ origin: 'https://10.0.0.1:3001' }, true],
    [{ origin: 'http://10.0.0.1:3002' }, false],
    [{ origin: 'http://10.0.0.1' }, false],
    [{ origin: 'http://10.0.0.1:3001.evil.example' }, false],
    [{ origin: 'null' }, false],
    [{ origin: '' }, false],
  ])('with %j to 10.0.0.1:3001 comes from our own page: %s', (headers, isOurs) => {
    expect(isSameOrigin(headers, '10.0.0.1:3001')).toBe(isOurs);
  });

  it.each([
    ['http://127.0.0.1:3001', false],
    ['http://127.9.9.9', false],
    ['http://localhost:3001', false],
    ['http://console.localhost', false],
    ['http://[::1]:3001', false],
    ['https://gateway.example', false],
    ['http://gateway.example', true],
    ['http://10.0.0.1:3001', true],
    ['http://127.0.0.1.evil.example', true],
    ['null', false],
    [undefined, false],
  ])('of the page %s has its secure cookie dropped: %s', (origin, dropped) => {
    expect(dropsSecureCookies({ origin })).toBe(dropped);
  });
});
