import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { Clock } from '../runtime/clock.js';
import { HttpWecomApi } from './http-wecom-api.js';
import { WecomApi } from './wecom-api.js';

@Global()
@Module({
  providers: [
    {
      provide: WecomApi,
      inject: [CONFIG, Clock],
      useFactory: ({ apps, wecomApi }: Config, clock: Clock): WecomApi => {
        const credentials = new Map([...apps].flatMap(([name, { api }]) => (api ? [[name, api] as const] : [])));
        return new HttpWecomApi(clock, { ...wecomApi, credentials });
      },
    },
  ],
  exports: [WecomApi],
})
export class WecomApiModule {}
