import type { KafkaClient, NativeAdmin, NativeProducer, PartitionName } from './kafka-client.js';
import { describeTopics } from './topics-check.js';

const REQUEST_LIMIT_MS = 2_000;

/** Records of a topic that a group has not committed. Rejects when the brokers do not tell. */
export async function groupBacklog(
  client: KafkaClient,
  producer: NativeProducer,
  topic: string,
  group: string,
): Promise<number> {
  const admin = client.AdminClient.createFrom(producer);
  const [description] = await describeTopics(admin, [topic]);
  if (!description || description.error) throw description?.error ?? new Error(`topic ${topic} is not there`);
  const names = description.partitions.map(({ partition }) => ({ topic, partition }));
  if (names.length === 0) return 0;
  const [committed, ends] = await Promise.all([
    committedOffsets(admin, group, names),
    offsets(admin, names, client.OffsetSpec.LATEST),
  ]);
  const fresh = names.filter(({ partition }) => !committed.has(partition));
  // A group that has committed nothing yet begins at the oldest record.
  const begins = fresh.length > 0 ? await offsets(admin, fresh, client.OffsetSpec.EARLIEST) : new Map<number, number>();
  return names.reduce((sum, { partition }) => {
    const from = committed.get(partition) ?? begins.get(partition) ?? 0;
    return sum + Math.max(0, (ends.get(partition) ?? from) - from);
  }, 0);
}

function committedOffsets(
  admin: NativeAdmin,
  groupId: string,
  partitions: readonly PartitionName[],
): Promise<ReadonlyMap<number, number>> {
  return new Promise((resolve, reject) => {
    admin.listConsumerGroupOffsets([{ groupId, partitions }], { timeout: REQUEST_LIMIT_MS }, (error, groups) => {
      if (error) return reject(error);
      const found = groups[0]?.partitions ?? [];
      // A partition without a commit comes without an offset, or with a negative one.
      resolve(
        new Map(found.flatMap(({ partition, offset = -1 }) => (offset < 0 ? [] : [[partition, offset] as const]))),
      );
    });
  });
}

function offsets(
  admin: NativeAdmin,
  partitions: readonly PartitionName[],
  spec: unknown,
): Promise<ReadonlyMap<number, number>> {
  const asked = partitions.map((name) => ({ ...name, offset: spec }));
  return new Promise((resolve, reject) => {
    admin.listOffsets(asked, { timeout: REQUEST_LIMIT_MS }, (error, found) => {
      const failure = error ?? found.find((one) => one.error)?.error;
      if (failure) return reject(failure);
      resolve(new Map(found.map(({ partition, offset }) => [partition, offset])));
    });
  });
}
