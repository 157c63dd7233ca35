import { describe, expect, it } from 'vitest';
import { rangesOf, readClusterSlots, redirectionOf, slotOf, tagOn, SLOT_COUNT } from './cluster-map.js';

const ASKED = { host: '10.0.0.1', port: 7_000, tls: false, db: 0 };
const server = (host: string | null, port: number): unknown[] => [host, port, 'a1b2', []];
const WHOLE = [
  [0, 8_191, server('10.0.0.1', 7_000), server('10.0.0.2', 7_001)],
  [8_192, 16_383, server('10.0.0.3', 7_002)],
];

describe('slotOf', () => {
  // 12739 is the check value of CRC-16/XMODEM; the others are CLUSTER KEYSLOT of a real server.
  it.each([
    ['123456789', 12_739],
    ['wecom:event:{ww1:abc}', 12_243],
    ['{a}{b}', 15_495],
    ['{}whole', 10_188],
    ['{open', 7_674],
    ['x{}{y}', 14_166],
    ['{企业}z', 2_726],
    ['', 0],
  ])('of %j is %i', (key, slot) => {
    expect(slotOf(key)).toBe(slot);
  });
});

describe('a cluster map', () => {
  it('says who has a slot, and who replicates', () => {
    const { owners, masters, replicas, uncoveredCount } = readClusterSlots(WHOLE, ASKED);
    expect([owners[0], owners[8_191], owners[8_192], owners[16_383]]).toEqual([
      '10.0.0.1:7000',
      '10.0.0.1:7000',
      '10.0.0.3:7002',
      '10.0.0.3:7002',
    ]);
    expect([...masters.keys()]).toEqual(['10.0.0.1:7000', '10.0.0.3:7002']);
    expect([...replicas.keys()]).toEqual(['10.0.0.2:7001']);
    expect(uncoveredCount).toBe(0);
  });

  it('counts slots that nobody has', () => {
    expect(readClusterSlots([], ASKED).uncoveredCount).toBe(SLOT_COUNT);
    expect(readClusterSlots(WHOLE.slice(0, 1), ASKED).uncoveredCount).toBe(8_192);
  });

  it.each([null, ''])('puts a server that does not know its address (%j) where it was asked', (host) => {
    expect(readClusterSlots([[0, 5, server(host, 7_000)]], ASKED).owners[3]).toBe('10.0.0.1:7000');
  });

  it('finds a tag for each server, and the ranges that it has', () => {
    const { owners } = readClusterSlots(WHOLE, ASKED);
    for (const name of ['10.0.0.1:7000', '10.0.0.3:7002'])
      expect(owners[slotOf(`any:{${tagOn(owners, name, 'probe')}}`)]).toBe(name);
    expect(rangesOf(owners, '10.0.0.3:7002')).toBe('8192-16383');
    expect(rangesOf(owners, 'nobody')).toBe('none');
    const patchy = owners.map((owner, slot) => (slot % 2 ? owner : undefined));
    expect(rangesOf(patchy, '10.0.0.1:7000')).toBe('1,3,5,7,9 and 4091 more');
  });
});

describe('redirections', () => {
  it.each([
    ['MOVED 3999 10.0.0.5:6381', { kind: 'moved', slot: 3_999, host: '10.0.0.5', port: 6_381 }],
    ['ASK 3999 redis-5.corp:6381', { kind: 'ask', slot: 3_999, host: 'redis-5.corp', port: 6_381 }],
    ['MOVED 1 fd00::5:6381', { kind: 'moved', slot: 1, host: 'fd00::5', port: 6_381 }],
    ['MOVED 1 :6381', { kind: 'moved', slot: 1, host: '10.0.0.1', port: 6_381 }],
  ])('are read: %s', (message, redirection) => {
    expect(redirectionOf(new Error(message), ASKED)).toEqual(redirection);
  });

  it.each(['CLUSTERDOWN The cluster is down', 'MOVED 99999 10.0.0.5:6381', 'MOVED'])('are not: %s', (message) => {
    expect(redirectionOf(new Error(message), ASKED)).toBeNull();
  });
});
