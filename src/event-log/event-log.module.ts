import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { EventLog } from './event-log.js';
import { MysqlEventLog } from './mysql/mysql-event-log.js';
import { SqliteEventLog } from './sqlite/sqlite-event-log.js';

@Global()
@Module({
  providers: [
    {
      provide: EventLog,
      inject: [CONFIG],
      useFactory: ({ store, instance }: Config): EventLog =>
        store.engine === 'sqlite' ? new SqliteEventLog(instance) : new MysqlEventLog(instance),
    },
  ],
  exports: [EventLog],
})
export class EventLogModule {}
