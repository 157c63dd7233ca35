import type { INestApplicationContext } from '@nestjs/common';
import type { Pool } from 'mysql2';
import type { DataSource } from 'typeorm';
import { WRITER } from '../../../src/database/connection-tokens.js';

// https://dev.mysql.com/doc/dev/mysql-server/latest/group__group__cs__capabilities__flags.html
const CLIENT_FOUND_ROWS = 2;

/** Has new connections count rows matched (true) or rows changed: the product has no setting for it, on purpose. */
export function countFoundRows(app: INestApplicationContext, isOn: boolean): void {
  const source = app.get<DataSource>(WRITER, { strict: false });
  const { pool } = (source.driver as unknown as { pool: { pool: Pool } }).pool;
  const { connectionConfig } = (pool as unknown as { config: { connectionConfig: { clientFlags: number } } }).config;
  if (typeof connectionConfig.clientFlags !== 'number') throw new Error('the driver keeps its flags elsewhere');
  if (isOn) connectionConfig.clientFlags |= CLIENT_FOUND_ROWS;
  else connectionConfig.clientFlags &= ~CLIENT_FOUND_ROWS;
}
