import { describe, expect, it } from 'vitest';
import { loadKafkaClient } from './load-kafka-client.js';

describe('loadKafkaClient', () => {
  it('names the one command that helps when the package is not there', async () => {
    await expect(loadKafkaClient('a-package-that-nobody-has')).rejects.toMatchObject({
      code: 'KAFKA_CLIENT_MISSING',
      message: expect.stringContaining('node scripts/install-kafka-client.mjs'),
    });
  });
});
