/**
 * The part of `@confluentinc/kafka-javascript` that is used here, in its native form (`RdKafka`), in words of our own: the
 * package is an optional peer, so neither `npm ci` nor the compiler may need it. The native form and not the one that
 * resembles kafkajs, because only there the caller decides when a poll, a pause and an unassign happen.
 */
export type ClientSettings = Readonly<Record<string, unknown>>;

export interface ClientError extends Error {
  readonly code: number;
}

export interface PartitionName {
  readonly topic: string;
  readonly partition: number;
}

export interface PartitionOffset extends PartitionName {
  readonly offset: number;
}

export interface ClientRecord extends PartitionOffset {
  /** Null in records that others wrote. */
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly size: number;
}

type Callback<T> = (error: ClientError | null | undefined, result: T) => void;

export interface ClusterMetadata {
  readonly brokers: readonly { readonly id: number }[];
}

interface NativeClient {
  connect(options: { timeout: number }, callback: Callback<ClusterMetadata>): unknown;
  getMetadata(options: { timeout: number }, callback: Callback<ClusterMetadata>): unknown;
  on(event: 'event.error', listener: (error: ClientError) => void): unknown;
  on(event: 'event.log', listener: (entry: { severity: number; message: string }) => void): unknown;
  on(event: 'delivery-report', listener: (error: ClientError | null, report: { opaque: unknown }) => void): unknown;
}

export interface NativeProducer extends NativeClient {
  produce(topic: string, partition: null, value: Buffer, key: Buffer, timestamp: number, opaque: unknown): void;
  poll(): unknown;
  setPollInBackground(isOn: boolean): void;
  disconnect(flushLimitMs: number, callback: () => void): unknown;
}

export interface NativeConsumer extends NativeClient {
  setDefaultConsumeTimeout(ms: number): void;
  setDefaultIsTimeoutOnlyForFirstMessage(isOnly: boolean): void;
  subscribe(topics: readonly string[]): unknown;
  consume(max: number, callback: Callback<readonly ClientRecord[] | undefined>): void;
  incrementalAssign(partitions: readonly PartitionName[]): unknown;
  incrementalUnassign(partitions: readonly PartitionName[]): unknown;
  unassign(): unknown;
  assignmentLost(): boolean;
  pause(partitions: readonly PartitionName[]): unknown;
  resume(partitions: readonly PartitionName[]): unknown;
  /** Asynchronous; its result comes by `offset_commit_cb`. */
  commit(offsets: readonly PartitionOffset[]): unknown;
  /** Holds a thread of the pool until the broker has answered. */
  commitCb(offsets: readonly PartitionOffset[], callback: (error: ClientError | null) => void): unknown;
  disconnect(callback: () => void): unknown;
}

export interface TopicDescription {
  readonly name: string;
  readonly error?: ClientError;
  readonly partitions: readonly {
    readonly partition: number;
    readonly leader?: unknown;
    readonly isr: readonly unknown[];
    readonly replicas: readonly unknown[];
  }[];
}

export interface NewTopic {
  readonly topic: string;
  readonly num_partitions: number;
  readonly replication_factor: number;
  readonly config: Readonly<Record<string, string>>;
}

export interface NativeAdmin {
  createTopic(topic: NewTopic, timeoutMs: number, callback: (error?: ClientError) => void): void;
  describeTopics(
    topics: readonly string[],
    options: { timeout: number },
    callback: Callback<readonly TopicDescription[]>,
  ): void;
  listOffsets(
    partitions: readonly (PartitionName & { readonly offset: unknown })[],
    options: { timeout: number },
    callback: Callback<readonly (PartitionOffset & { readonly error?: ClientError })[]>,
  ): void;
  listConsumerGroupOffsets(
    groups: readonly { readonly groupId: string; readonly partitions: readonly PartitionName[] }[],
    options: { timeout: number },
    callback: Callback<readonly { readonly partitions: readonly (PartitionName & { readonly offset?: number })[] }[]>,
  ): void;
}

export interface KafkaClient {
  readonly Producer: new (settings: ClientSettings) => NativeProducer;
  readonly KafkaConsumer: new (settings: ClientSettings) => NativeConsumer;
  readonly AdminClient: { createFrom(client: NativeProducer): NativeAdmin };
  readonly OffsetSpec: { readonly EARLIEST: unknown; readonly LATEST: unknown };
  readonly CODES: { readonly ERRORS: Readonly<Record<string, number>> };
}
