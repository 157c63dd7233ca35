// At a million keys one Map stops the process for 200 to 370 ms (measured) whenever it rehashes, longer than an answer
// should take. In 64 parts the worst single call took 6 to 23 ms.
const SHARDS = 64;

// Keys end in a digest and a brace, so their last characters spread them well. Others are only spread worse.
const HASHED_CHARS = 6;

/** A `Map` of string keys whose growth is paid in small parts. It keeps no order. */
export class ShardedMap<Value> {
  private readonly shards = Array.from({ length: SHARDS }, () => new Map<string, Value>());
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(key: string): Value | undefined {
    return this.shardOf(key).get(key);
  }

  /** The key must not be in the map. */
  add(key: string, value: Value): void {
    this.shardOf(key).set(key, value);
    this.count += 1;
  }

  delete(key: string): void {
    if (this.shardOf(key).delete(key)) this.count -= 1;
  }

  clear(): void {
    for (const shard of this.shards) shard.clear();
    this.count = 0;
  }

  private shardOf(key: string): Map<string, Value> {
    let hash = 0;
    for (let at = Math.max(0, key.length - 1 - HASHED_CHARS); at < key.length; at += 1) {
      hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
    }
    const shard = this.shards[hash & (SHARDS - 1)];
    if (shard === undefined) throw new Error('a masked hash is always below the number of shards');
    return shard;
  }
}
