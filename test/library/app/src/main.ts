import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  gatewayAdapter,
  loadConfig,
  runGateway,
  systemConfigSources,
  WecomGatewayModule,
} from 'wecom-callback-gateway';
import { SystemRandom } from 'wecom-callback-gateway';
import { CreateInbox1800000000000, InboxHandler, InboxModule, InboxRow } from './inbox.js';

const config = loadConfig(systemConfigSources(process.env, new SystemRandom()));

@Module({
  imports: [
    WecomGatewayModule.forRoot({
      config,
      handlers: [InboxHandler],
      entities: [InboxRow],
      migrations: [CreateInbox1800000000000],
    }),
    InboxModule,
  ],
})
class AppModule {}

const app = await NestFactory.create<NestFastifyApplication>(AppModule, gatewayAdapter(config), { bodyParser: false });
const gateway = await runGateway(app, config);
process.once('SIGTERM', () => void gateway.stop());
console.log(JSON.stringify({ port: gateway.port }));
