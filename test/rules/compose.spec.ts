import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Env } from '../../src/config/env.js';

const text = readFileSync(resolve(import.meta.dirname, '../../docker-compose.yml'), 'utf8');
const { services } = parse(text, { merge: true }) as {
  services: Record<string, { image?: string; environment?: Record<string, string> }>;
};

describe('docker-compose.yml', () => {
  it('sets only what the service reads', () => {
    const keys = Object.keys(services['gateway']?.environment ?? {});

    expect(keys).toContain('DATABASE_URL');
    // Optional settings have no default, so the class alone does not name them.
    const known = [...Object.keys(new Env()), 'WECOM_APPS_FILE', 'ADMIN_TOKEN', 'REDIS_URL', 'DATABASE_URL'];
    expect(keys.filter((key) => !known.includes(key))).toEqual([]);
  });

  it('takes every image by a version', () => {
    const images = Object.values(services).flatMap(({ image }) => (image === undefined ? [] : [image]));

    expect(images.length).toBeGreaterThan(2);
    expect(images.filter((image) => !image.includes(':') && image !== 'wecom-callback-gateway')).toEqual([]);
  });

  it('holds no password', () => {
    expect(text).not.toMatch(/PASSWORD: (?!\$\{)/);
    expect(text).not.toMatch(/:\/\/[^:\s]+:[^$@]+@/);
  });
});
