// One server of the benchmark, in a process of its own: `echo` and `open` are base lines, `ingest` the gateway without a
// consumer, `full` the whole service. Tells its CPU time over IPC.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { Controller, HttpCode, Module, Post } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import Fastify from 'fastify';
import { loadConfig } from '../../dist/src/config/load-config.js';
import { createApp, startGateway } from '../../dist/src/gateway-app.js';
import { Metrics } from '../../dist/src/observability/metrics.js';
import { decodeAesKey } from '../../dist/src/wecom/aes-key.js';
import { decrypt } from '../../dist/src/wecom/cipher.js';
import { openEnvelope } from '../../dist/src/wecom/envelope.js';
import { verifySignature } from '../../dist/src/wecom/signature.js';
import { CREDENTIALS } from './workload.mjs';

const [mode, dataDir, appsFile] = process.argv.slice(2);

const config = () =>
  loadConfig({
    env: {
      PORT: '0',
      ADMIN_PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      WECOM_APPS_FILE: appsFile,
      LOG_LEVEL: 'error',
    },
    readText: (path) => readFileSync(path, 'utf8'),
    hostname: 'bench',
    pid: process.pid,
    adminTokenPath: () => '',
    adminToken: () => 'bench-admin-token-0123456789',
  });

async function echo() {
  class EchoController {
    receive() {
      return 'success';
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(EchoController.prototype, 'receive');
  Post('wecom/callbacks/bench')(EchoController.prototype, 'receive', descriptor);
  HttpCode(200)(EchoController.prototype, 'receive', descriptor);
  Controller()(EchoController);
  class EchoModule {}
  Module({ controllers: [EchoController] })(EchoModule);
  const adapter = new FastifyAdapter();
  adapter.getInstance().removeAllContentTypeParsers();
  adapter.getInstance().addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const app = await NestFactory.create(EchoModule, adapter, { logger: false, bodyParser: false });
  await app.listen(0, '127.0.0.1');
  return { port: app.getHttpServer().address().port, stop: () => app.close() };
}

/** The least that any service for WeCom does: a bare Fastify route that verifies and decrypts. */
async function open() {
  const aesKey = decodeAesKey(CREDENTIALS.encodingAESKey);
  const app = Fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post('/wecom/callbacks/bench', async ({ query, body }) => {
    const { encrypt } = openEnvelope(body);
    const { timestamp, nonce, msg_signature: signature } = query;
    if (!verifySignature({ token: CREDENTIALS.token, timestamp, nonce, encrypt }, signature))
      throw new Error('refused');
    if (!decrypt(encrypt, aesKey, [CREDENTIALS.receiveId]).ok) throw new Error('refused');
    return 'success';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { port: app.server.address().port, stop: () => app.close() };
}

async function ingest() {
  const app = await createApp({ config: config() });
  await app.listen(0, '127.0.0.1');
  return { port: app.getHttpServer().address().port, stop: () => app.close() };
}

async function full() {
  const gateway = await startGateway({ config: config() });
  return { port: gateway.port, stop: gateway.stop, metrics: gateway.app.get(Metrics) };
}

const server = await { echo, open, ingest, full }[mode]();
process.send({ port: server.port });
process.on('message', async (question) => {
  if (question === 'stop') {
    await server.stop();
    process.exit(0);
  }
  const { user, system } = process.cpuUsage();
  const decided = server.metrics?.registry.getSingleMetric('wecom_events_decided_total');
  const values = decided ? (await decided.get()).values : [];
  process.send({ cpuMicros: user + system, decided: values.reduce((sum, { value }) => sum + value, 0) });
});
