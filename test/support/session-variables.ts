import type { Tx } from '../../src/database/unit-of-work.js';
import type { DatabaseEngine } from '../services/database-programs.js';

// The limit of a statement is a name and a unit of each server's own; that of MySQL counts for SELECT only.
const OWN = {
  mysql: { prefix: 'transaction', limit: { max_execution_time: '4000' } },
  mariadb: { prefix: 'tx', limit: { max_statement_time: '4.000000' } },
};

/** What a session of the service has to be like, with a limit of five seconds. */
export function wantedVariables(engine: DatabaseEngine, readOnly: 'ON' | 'OFF'): Readonly<Record<string, string>> {
  const { prefix, limit } = OWN[engine];
  return {
    ...{ [`${prefix}_isolation`]: 'READ-COMMITTED', [`${prefix}_read_only`]: readOnly, ...limit },
    ...{ time_zone: '+00:00', sql_mode: 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', wait_timeout: '130' },
    ...{ innodb_lock_wait_timeout: '3', lock_wait_timeout: '3', autocommit: 'ON' },
  };
}

/** The same variables as they are. */
export async function sessionVariables({ manager }: Tx, engine: DatabaseEngine): Promise<Record<string, string>> {
  const names = Object.keys(wantedVariables(engine, 'ON')).map((name) => `'${name}'`);
  const rows = await manager.query<{ Variable_name: string; Value: string }[]>(
    `SHOW SESSION VARIABLES WHERE Variable_name IN (${names.join()})`,
  );
  return Object.fromEntries(rows.map(({ Variable_name, Value }) => [Variable_name, Value]));
}
