import { Test } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DatabaseModule } from '../../src/database/database.module.js';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { migrateGateway } from '../../src/migrate-gateway.js';
import { HealthRegistry } from '../../src/observability/health-registry.js';
import { createLogger } from '../../src/observability/logger.js';
import { ObservabilityModule } from '../../src/observability/observability.module.js';
import { RuntimeModule } from '../../src/runtime/runtime.module.js';
import { MIGRATIONS } from '../../migrations/migrations.js';
import { describeWithDatabases, type DatabaseServer } from '../support/database-server.js';
import { mysqlSettings } from '../support/mysql-database.js';

describeWithDatabases('the database module', (start) => {
  let server: DatabaseServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  it('writes through the unit of work, injects a data source that can only read, and reports its health', async () => {
    const store = mysqlSettings(server, await server.createDatabase());
    const leaseMaxLifeMs = 120_000;
    await migrateGateway({ config: { store, dataDir: 'not used', leaseMaxLifeMs } });
    const options = { store, path: 'not used', leaseMaxLifeMs, bodyBytesMax: 1_048_576, entities: [] };
    const app = await Test.createTestingModule({
      imports: [
        ...[RuntimeModule, ObservabilityModule.register(createLogger('error', 'test'))],
        DatabaseModule.register({ ...options, migrations: MIGRATIONS }),
      ],
    }).compile();
    await app.init();
    const insert = "INSERT INTO audit (at, actor, action, target, detail) VALUES (1, 'a', 'b', 'c', 'd')";
    await app.get(UnitOfWork).write(({ manager }) => manager.query(insert));
    const source = app.get(DataSource);
    expect(await source.query('SELECT at FROM audit')).toEqual([{ at: 1 }]);
    await expect(source.query(insert)).rejects.toThrow(/READ ONLY/i);
    expect(app.get(HealthRegistry).check().parts['database']).toEqual({ status: 'up' });
    await app.close();
  });
});
