import type { KafkaClient } from './kafka-client.js';

// Not a literal where it is imported, so that the compiler does not ask for the package.
const PACKAGE: string = '@confluentinc/kafka-javascript';
const INSTALL = 'node scripts/install-kafka-client.mjs';

/** TRANSPORT=kafka without its client, or with one that cannot be loaded on this machine. */
export class KafkaClientMissingError extends Error {
  readonly code = 'KAFKA_CLIENT_MISSING';

  constructor(options: { cause: unknown }) {
    super(
      `TRANSPORT=kafka needs the package ${PACKAGE}, which could not be loaded; install it by: ${INSTALL}`,
      options,
    );
    this.name = 'KafkaClientMissingError';
  }
}

/** Only a deployment with Kafka has the client: it holds a native library. Throws `KafkaClientMissingError`. */
export async function loadKafkaClient(name = PACKAGE): Promise<KafkaClient> {
  try {
    const loaded = (await import(name)) as { default: KafkaClient };
    return loaded.default;
  } catch (cause) {
    throw new KafkaClientMissingError({ cause });
  }
}
