import mysql from 'mysql2/promise';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  databaseFiles,
  fetchMySql,
  mariaDbPrograms,
  mySqlPrograms,
  type DatabaseEngine,
  type DatabasePrograms,
} from './database-programs.js';
import { runCommand } from './run-command.js';
import { ServiceFailedError, type ServerPlan, type Service } from './service.js';

const USER = 'wecom';
const PASSWORD = 'wecom';
const DATABASE = 'wecom';

/** One database, and a user who may do everything in it and nothing else. Listens on loopback only. */
export function databaseService(engine: DatabaseEngine, folder: string, port: number): Service {
  const find = engine === 'mysql' ? mySqlPrograms : mariaDbPrograms;
  const isMissing = engine === 'mysql' && mySqlPrograms() === null;
  return {
    ...{ name: engine, layout: 'single', folder, ports: [port], readyLimitMs: 90_000 },
    needs: engine === 'mariadb' ? [{ program: 'mariadbd', aptPackage: 'mariadb-server' }] : [],
    fetched: isMissing ? 'MySQL from Debian unstable (70 MB, unpacked, not installed)' : null,
    settings: { STORE: engine, DATABASE_URL: `mysql://${USER}:${PASSWORD}@127.0.0.1:${port}/${DATABASE}` },
    fetch: engine === 'mysql' ? fetchMySql : () => Promise.resolve(),
    prepare: async () => {
      const programs = find();
      if (programs === null) throw new ServiceFailedError(`there is no ${engine} on this machine`);
      return [await prepare(programs, folder, port)];
    },
    isReady: () => answers(port),
    complete: () => Promise.resolve(),
  };
}

async function prepare(programs: DatabasePrograms, folder: string, port: number): Promise<ServerPlan> {
  const place = { folder: join(folder, 'data'), port };
  const { data, init, log } = databaseFiles(place);
  if (!existsSync(data)) {
    // Made beside and then renamed: one that was cut off must not be taken for a data folder.
    const work = join(folder, 'making');
    await rm(work, { recursive: true, force: true });
    await mkdir(work, { recursive: true });
    await runCommand(programs.install({ folder: work, port }));
    await mkdir(place.folder, { recursive: true });
    await rename(join(work, 'data'), data);
    await rm(work, { recursive: true, force: true });
  }
  const statements = [
    `CREATE DATABASE IF NOT EXISTS ${DATABASE} CHARACTER SET utf8mb4`,
    `CREATE USER IF NOT EXISTS '${USER}'@'%' IDENTIFIED BY '${PASSWORD}'`,
    `GRANT ALL ON ${DATABASE}.* TO '${USER}'@'%'`,
  ];
  await writeFile(init, `${statements.join(';\n')};\n`);
  return { name: programs.engine, ports: [port], launch: programs.server(place), log };
}

async function answers(port: number): Promise<boolean> {
  try {
    const address = { host: '127.0.0.1', port, user: USER, password: PASSWORD, database: DATABASE };
    const connection = await mysql.createConnection({ ...address, connectTimeout: 3_000 });
    await connection.end();
    return true;
  } catch {
    return false;
  }
}
