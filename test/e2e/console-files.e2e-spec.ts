import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareAdminPort } from '../../src/admin/admin-http.js';
import { serveConsole } from '../../src/admin/console.js';
import { loadConfig } from '../../src/config/load-config.js';
import { gatewayAdapter } from '../../src/gateway-adapter.js';
import { markAdminServer } from '../../src/observability/listener.js';
import { configSources } from '../support/config-sources.js';

@Module({})
class NoModule {}

const INDEX = '<!doctype html><title>Console</title><script type="module" src="/console/assets/app-1a2b.js"></script>';

/** The admin port with a console that a build would have left in `folder`, and nothing else. */
class ConsolePort {
  private constructor(
    private readonly app: NestFastifyApplication,
    private readonly server: Server,
  ) {}

  static async open(folder: string): Promise<ConsolePort> {
    const config = loadConfig(configSources('', { ROLE: 'admin' }, () => ''));
    const app = await NestFactory.create<NestFastifyApplication>(NoModule, gatewayAdapter(config), { logger: false });
    await prepareAdminPort(app);
    serveConsole(app, folder);
    await app.init();
    const fastify = app.getHttpAdapter().getInstance();
    await fastify.ready();
    const server = createServer((request, response) => fastify.routing(request, response));
    markAdminServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ConsolePort(app, server);
  }

  async get(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string; headers: Headers }> {
    const { port } = this.server.address() as AddressInfo;
    const init = { headers: { connection: 'close', ...headers }, redirect: 'manual' as const };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  }

  async close(): Promise<void> {
    await this.app.close();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

describe('a console that was built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wecom-console-'));
  let port: ConsolePort;

  beforeAll(async () => {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), INDEX);
    writeFileSync(join(folder, 'favicon.svg'), '<svg/>');
    writeFileSync(join(folder, 'assets', 'app-1a2b.js'), 'export {};');
    writeFileSync(join(folder, '.built'), '');
    port = await ConsolePort.open(folder);
  });
  afterAll(async () => {
    await port.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    '/console/',
    '/console/index.html',
    '/console/setup',
    '/console/events/42',
    '/console/users/a.b%2Fc',
    '/console/?a=/x.js',
  ])('answers %s with its page, which is asked for anew each time', async (path) => {
    const { status, text, headers } = await port.get(path);
    expect([status, text]).toEqual([200, INDEX]);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('has browsers keep what has a digest in its name, and ask about other files', async () => {
    const script = await port.get('/console/assets/app-1a2b.js');
    expect([script.status, script.text]).toEqual([200, 'export {};']);
    expect(script.headers.get('content-type')).toMatch(/javascript/);
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const icon = await port.get('/console/favicon.svg');
    expect(icon.headers.get('cache-control')).toBe('no-cache');
    expect(icon.headers.get('etag')).toMatch(/^W?\/?".+"$/);
  });

  it.each([
    '/console/assets/app-old.js',
    '/console/assets/',
    '/console/robots.txt',
    '/console/..%2f..%2fetc%2fpasswd.txt',
    '/console/.built.json',
  ])('has no page for the file %s', async (path) => {
    const { status, text, headers } = await port.get(path);
    expect([status, text]).toEqual([404, 'no such file\n']);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('never tells a file outside of its folder, nor a hidden one', async () => {
    for (const path of [
      '/console/..%2f..%2f..%2f..%2fetc%2fpasswd',
      '/console/%2e%2e/%2e%2e/etc/passwd',
      '/console/.built',
    ]) {
      const { text } = await port.get(path);
      expect([path, text === INDEX || text.includes('no such file') || text.includes('Cannot GET')]).toEqual([
        path,
        true,
      ]);
    }
  });

  it('is found without the slash, wherever a proxy put it', async () => {
    const { status, headers } = await port.get('/console');
    expect([status, headers.get('location')]).toEqual([302, 'console/']);
  });

  it('runs scripts of its own files alone, in no frame, and tells nobody where one comes from', async () => {
    for (const path of ['/console/', '/console/assets/app-1a2b.js', '/nothing/here']) {
      const { headers } = await port.get(path);
      const policy = new Map(
        (headers.get('content-security-policy') ?? '').split(';').map((one) => {
          const [name = '', ...values] = one.split(' ');
          return [name, values.join(' ')];
        }),
      );
      expect([path, policy.get('script-src'), policy.get('default-src')]).toEqual([path, "'self'", "'self'"]);
      expect([policy.get('frame-ancestors'), policy.get('base-uri'), policy.get('object-src')]).toEqual(
        Array(3).fill("'none'"),
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-frame-options')).toBe('DENY');
      // They would break plain HTTP on loopback, and are the proxy's to say.
      expect([policy.has('upgrade-insecure-requests'), headers.get('strict-transport-security')]).toEqual([
        false,
        null,
      ]);
    }
  });
});

describe('a console that was not built', () => {
  it('says what to do', async () => {
    const port = await ConsolePort.open(join(tmpdir(), 'wecom-console-nowhere'));
    try {
      for (const path of ['/console/', '/console/events']) {
        const { status, text } = await port.get(path);
        expect([status, text]).toEqual([404, expect.stringContaining('npm run build')]);
      }
    } finally {
      await port.close();
    }
  });
});
