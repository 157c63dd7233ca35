import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ShardedMap } from './sharded-map.js';

describe('ShardedMap', () => {
  it('finds, counts and forgets keys of any length', () => {
    const map = new ShardedMap<number>();
    const keys = ['', 'a', '}', 'aaaaaaa', '键', 'wecom:event:{corp:1}', 'wecom:event:{corp:2}'];
    keys.forEach((key, i) => map.add(key, i));
    expect(keys.map((key) => map.get(key))).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(map.size).toBe(7);
    map.delete('a');
    map.delete('never added');
    expect(map.get('a')).toBeUndefined();
    expect(map.size).toBe(6);
    map.clear();
    expect(map.size).toBe(0);
    expect(map.get('}')).toBeUndefined();
  });

  it('spreads event keys over all shards evenly', () => {
    const map = new ShardedMap<number>();
    for (let i = 0; i < 6_400; i += 1) {
      map.add(`wecom:event:{corp:${createHash('sha256').update(String(i)).digest('hex')}}`, i);
    }
    const sizes = Reflect.get(map, 'shards') as Map<string, number>[];
    const fullest = Math.max(...sizes.map((shard) => shard.size));
    const emptiest = Math.min(...sizes.map((shard) => shard.size));
    expect(fullest, 'a shard has 100 keys on average').toBeLessThan(160);
    expect(emptiest).toBeGreaterThan(50);
  });
});
