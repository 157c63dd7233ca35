import { describe, expect, it } from 'vitest';
import { parseDatabaseUrl } from './database-address.js';

const BASE = { host: 'db', port: 3306, tls: false, username: 'u', password: 'p', database: 'wecom' };

describe('a database address', () => {
  it.each([
    ['mysql://u:p@db/wecom', BASE],
    ['mariadb://u:p@db:3307/wecom', { ...BASE, port: 3307 }],
    ['mysql://u:p@db/wecom?tls=true', { ...BASE, tls: true }],
    ['mysql://u:p@db/wecom?tls=false', BASE],
    ['mysql://u@db/wecom', { ...BASE, password: '' }],
    ['mysql://u:p%40ss%3Aw%2Frd%3F%23%25@db/wecom', { ...BASE, password: 'p@ss:w/rd?#%' }],
    ['mysql://u:p@[::1]:3306/wecom', { ...BASE, host: '::1' }],
  ])('is read from %s', (text, address) => {
    expect(parseDatabaseUrl(text)).toEqual(address);
  });

  it.each([
    ['another scheme', 'postgres://u:p@db/wecom'],
    ['no user', 'mysql://db/wecom'],
    ['no host', 'mysql:///wecom'],
    ['no database', 'mysql://u:p@db/'],
    ['more than a database', 'mysql://u:p@db/wecom/more'],
    ['an option that changes what statements mean', 'mysql://u:p@db/wecom?multipleStatements=true'],
    ['a fragment', 'mysql://u:p@db/wecom#x'],
    ['a percent sign that encodes nothing', 'mysql://u:%zz@db/wecom'],
    ['no URL', 'db:3306'],
  ])('is refused with %s', (_, text) => {
    expect(parseDatabaseUrl(text)).toBeNull();
  });
});
