import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { developmentFile, imageOf } from './docker-compose.js';

const COMPOSE = readFileSync(resolve(import.meta.dirname, '../../docker-compose.yml'), 'utf8');

describe('a container for development', () => {
  it('has the image of docker-compose.yml, also that of the first of several', () => {
    expect(imageOf(COMPOSE, 'redis')).toMatch(/^redis:\d/);
    expect(imageOf(COMPOSE, 'mysql')).toMatch(/^mysql:\d/);
    expect(imageOf(COMPOSE, 'valkey')).toBeNull();
    const several = 'x-k: &k { image: "apache/kafka:4" }\nservices: { kafka-1: { <<: *k }, kafka-2: { <<: *k } }';
    expect(imageOf(several, 'kafka')).toBe('apache/kafka:4');
    expect(imageOf('', 'kafka')).toBeNull();
  });

  it.each(['redis', 'mysql', 'kafka'] as const)('publishes %s on loopback only, its data in a volume', (name) => {
    const { services, volumes } = parse(developmentFile(name, 'image:1', 12_345) ?? '') as {
      services: Record<string, { image: string; ports: string[]; volumes: string[] }>;
      volumes: Record<string, unknown>;
    };
    const container = services[name]!;
    expect(container.image).toBe('image:1');
    expect(container.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:12345:\d+$/)]);
    expect(Object.keys(volumes)).toEqual(container.volumes.map((volume) => volume.split(':')[0]));
  });

  it('sends the clients of Kafka to the published port', () => {
    expect(developmentFile('kafka', 'image:1', 12_345)).toContain('PLAINTEXT://127.0.0.1:12345');
  });

  it('is not made for what docker-compose.yml does not know how to run here', () => {
    expect(developmentFile('rocketmq', 'image:1', 1)).toBeNull();
  });
});
