import type { KafkaConfig } from '../../config/kafka-config.js';
import type { Clock } from '../../runtime/clock.js';
import type { KafkaClient, NativeAdmin, NativeProducer, NewTopic, TopicDescription } from './kafka-client.js';

export interface TopicsCheckOptions {
  readonly topics: readonly string[];
  readonly wanted: KafkaConfig['topics'];
  readonly messageBytesMax: number;
}

/** What is to be said about a topic. `missing`: nothing works without it; `weak`: a promise rests on less than it should. */
export interface TopicWarning {
  readonly topic: string;
  readonly kind: 'missing' | 'weak';
  readonly reason: string;
}

const REPLICAS_WANTED = 3;
const REQUEST_LIMIT_MS = 5_000;
// A topic that was just created has no leaders for a moment.
const LOOKS_AFTER_CREATING = 20;
const LOOK_AGAIN_AFTER_MS = 100;

/**
 * Looks at the topics, and creates those that are missing if it may. The client cannot read a topic's settings, so
 * `min.insync.replicas` is set where we create and must be checked by hand where somebody else did (docs/adr/0007).
 */
export class TopicsCheck {
  constructor(
    private readonly client: KafkaClient,
    private readonly clock: Clock,
    private readonly options: TopicsCheckOptions,
  ) {}

  /** Rejects when no broker answers. */
  async run(producer: NativeProducer): Promise<readonly TopicWarning[]> {
    const admin = this.client.AdminClient.createFrom(producer);
    const brokers = await brokerCount(producer);
    let found = await describeTopics(admin, this.options.topics);
    const missing = found.filter(isMissing);
    if (missing.length > 0 && this.options.wanted.create) {
      for (const { name } of missing) await createTopic(admin, newTopic(name, brokers, this.options));
      found = await this.lookUntilReady(admin);
    }
    return found.flatMap((topic) => judge(topic, brokers));
  }

  private async lookUntilReady(admin: NativeAdmin): Promise<readonly TopicDescription[]> {
    for (let looks = 1; ; looks += 1) {
      const found = await describeTopics(admin, this.options.topics);
      if (looks === LOOKS_AFTER_CREATING || !found.some((topic) => isMissing(topic) || leaderless(topic) > 0))
        return found;
      await this.clock.sleep(LOOK_AGAIN_AFTER_MS);
    }
  }
}

/** Three copies of which two must have a record, where there are brokers for it: one may fail without any loss. */
export function newTopic(topic: string, brokers: number, { wanted, messageBytesMax }: TopicsCheckOptions): NewTopic {
  const replicas = wanted.replicationFactor > 0 ? wanted.replicationFactor : Math.min(REPLICAS_WANTED, brokers);
  return {
    topic,
    num_partitions: wanted.partitions,
    replication_factor: replicas,
    config: {
      // One less than all: with as many as all, one broker that restarts would stop every publish.
      'min.insync.replicas': String(Math.max(1, Math.min(2, replicas - 1))),
      'retention.ms': String(wanted.retentionMs),
      'cleanup.policy': 'delete',
      'max.message.bytes': String(messageBytesMax),
      // A replica that lacks acknowledged records must not become the leader.
      'unclean.leader.election.enable': 'false',
    },
  };
}

export function judge(topic: TopicDescription, brokers: number): TopicWarning[] {
  const { name, partitions, error } = topic;
  const weak = (reason: string): TopicWarning => ({ topic: name, kind: 'weak', reason });
  if (error || partitions.length === 0) {
    return [{ topic: name, kind: 'missing', reason: error?.message ?? 'it has no partitions' }];
  }
  const headless = leaderless(topic);
  const copies = Math.min(...partitions.map(({ replicas }) => replicas.length));
  const behind = partitions.filter(({ isr, replicas }) => isr.length < replicas.length).length;
  const warnings: TopicWarning[] = [];
  if (headless > 0) warnings.push(weak(`${headless} of ${partitions.length} partitions have no leader`));
  if (copies < Math.min(REPLICAS_WANTED, brokers)) {
    warnings.push(weak(`it has ${copies} of ${Math.min(REPLICAS_WANTED, brokers)} copies`));
  }
  if (behind > 0) warnings.push(weak(`copies of ${behind} of ${partitions.length} partitions are behind or away`));
  return warnings;
}

function isMissing({ error, partitions }: TopicDescription): boolean {
  return error !== undefined || partitions.length === 0;
}

function leaderless({ partitions }: TopicDescription): number {
  return partitions.filter(({ leader }) => leader === undefined || leader === null).length;
}

function brokerCount(producer: NativeProducer): Promise<number> {
  return new Promise((resolve, reject) => {
    producer.getMetadata({ timeout: REQUEST_LIMIT_MS }, (error, metadata) =>
      error ? reject(error) : resolve(metadata.brokers.length),
    );
  });
}

export function describeTopics(admin: NativeAdmin, topics: readonly string[]): Promise<readonly TopicDescription[]> {
  return new Promise((resolve, reject) => {
    admin.describeTopics([...topics], { timeout: REQUEST_LIMIT_MS }, (error, found) =>
      error ? reject(error) : resolve(found),
    );
  });
}

/** Two processes may start at once: the second one's attempt is refused, and what counts is what is found afterwards. */
function createTopic(admin: NativeAdmin, topic: NewTopic): Promise<void> {
  return new Promise((resolve) => admin.createTopic(topic, REQUEST_LIMIT_MS, () => resolve()));
}
