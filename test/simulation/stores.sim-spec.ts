import { MysqlUnitOfWork } from '../../src/database/mysql/mysql-unit-of-work.js';
import type { UnitOfWork } from '../../src/database/unit-of-work.js';
import { MysqlEventLog } from '../../src/event-log/mysql/mysql-event-log.js';
import { SqlOutbox } from '../../src/saga/sql-outbox.js';
import { MysqlSagaStore } from '../../src/saga/mysql/mysql-saga-store.js';
import { describeEventLog } from '../contract/event-log.suite.js';
import { describeOutbox } from '../contract/outbox.suite.js';
import { describeSagaStore } from '../contract/saga-store.suite.js';
import type { StoreHarness } from '../contract/store-harness.js';
import { Database } from './database/database.js';
import { simDataSource } from './ports/sim-data-source.js';
import { SimClock } from './ports/sim-runtime.js';
import { Host } from './world/life.js';
import { NO_FAULTS } from './world/faults.js';
import { World } from './world/world.js';

/** The stores of MySQL on the simulated server, in a world in which nothing goes wrong and time runs by itself. */
function simulatedHarness<Store>(makeStore: (unitOfWork: UnitOfWork) => Store): StoreHarness<Store> {
  let isOpen = false;
  let running: Promise<void> = Promise.resolve();
  const runWorld = async (world: World): Promise<void> => {
    while (isOpen) {
      await world.scheduler.run(world.now + 1);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    make: async () => {
      const world = new World(1, NO_FAULTS);
      const life = new Host('host', 'worker').start();
      const database = new Database({ later: (ms, act) => world.later(ms, act), lockWaitMs: 1_000 });
      const source = simDataSource(world, life, database, { waitTimeoutMs: 60_000 });
      const unitOfWork = new MysqlUnitOfWork(source, source, new SimClock(world, life), 10_000);
      isOpen = true;
      running = runWorld(world);
      return { store: makeStore(unitOfWork), unitOfWork };
    },
    close: async () => {
      isOpen = false;
      await running;
    },
  };
}

describeEventLog(
  'MysqlEventLog on the simulated database',
  simulatedHarness(() => new MysqlEventLog('this-process')),
);
describeSagaStore(
  'MysqlSagaStore on the simulated database',
  simulatedHarness((unitOfWork) => new MysqlSagaStore(unitOfWork)),
);
describeOutbox(
  'SqlOutbox on the simulated database',
  simulatedHarness(() => SqlOutbox.forMysql()),
);
