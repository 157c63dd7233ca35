import { describe, expect, it } from 'vitest';
import { findings, type ColumnFacts, type ServerFacts, type UniqueIndex } from './mysql-checks.js';

const INDEXES: UniqueIndex[] = [
  { table: 'event_log', columns: ['corp_id', 'event_type', 'msg_id_or_hash'], isPrefix: false },
  { table: 'saga', columns: ['receiver', 'corp_id', 'entity_type', 'entity_id'], isPrefix: false },
  { table: 'outbox', columns: ['idempotency_key'], isPrefix: false },
];
const VARIABLES = {
  ...{ version: '10.11.6-MariaDB', tx_isolation: 'READ-COMMITTED', innodb_flush_log_at_trx_commit: '1' },
  ...{ log_bin: 'OFF', sync_binlog: '0', max_allowed_packet: '16777216' },
};
const column = (changed: Partial<ColumnFacts>): ColumnFacts => ({
  ...{ table: 'saga', column: 'corp_id', type: 'varchar', collation: 'utf8mb4_nopad_bin', isNullable: false },
  ...changed,
});
const facts = (variables: Record<string, string> = {}, changed: Partial<ServerFacts> = {}): ServerFacts => ({
  ...{ variables: new Map(Object.entries({ ...VARIABLES, ...variables })), columns: [], uniqueIndexes: INDEXES },
  ...changed,
});
const found = (one: ServerFacts) => findings(one, 'mariadb', 1_048_576);

describe('a look at the server', () => {
  it('finds nothing on one that is set up well', () => {
    expect(found(facts({}, { columns: [column({})] }))).toEqual({ warnings: [], faults: [] });
    const mysql = facts({ version: '8.4.3', transaction_isolation: 'READ-COMMITTED' });
    expect(findings(mysql, 'mysql', 1_048_576)).toEqual({ warnings: [], faults: [] });
  });

  it.each([
    ['innodb_flush_log_at_trx_commit', { innodb_flush_log_at_trx_commit: '2' }],
    ['sync_binlog', { log_bin: 'ON', sync_binlog: '0' }],
    ['isolation', { tx_isolation: 'REPEATABLE-READ' }],
    ['max_allowed_packet', { max_allowed_packet: '1048576' }],
    ['older than', { version: '10.3.1-MariaDB' }],
    ['innodb_doublewrite', { innodb_doublewrite: 'OFF' }],
  ])('warns of %s, and of nothing else', (text, variables) => {
    const { warnings, faults } = found(facts(variables));
    expect(warnings).toEqual([expect.stringContaining(text)]);
    expect(faults).toEqual([]);
  });

  it.each(['utf8mb4_general_ci', 'utf8mb4_bin', 'ascii_bin'])('warns of a key column in %s', (collation) => {
    expect(found(facts({}, { columns: [column({ collation })] })).warnings).toHaveLength(1);
    expect(found(facts({}, { columns: [column({ collation, column: 'state' })] })).warnings).toEqual([]);
  });

  it('takes bytes and both servers’ exact collations for keys', () => {
    const columns = [column({ type: 'varbinary', collation: null }), column({ collation: 'utf8mb4_0900_bin' })];
    expect(found(facts({}, { columns })).warnings).toEqual([]);
  });

  it.each([
    ['a unique index that is gone', { uniqueIndexes: INDEXES.slice(1) }],
    ['one of the first characters only', { uniqueIndexes: INDEXES.map((one) => ({ ...one, isPrefix: true })) }],
    ['one with a column more', { uniqueIndexes: INDEXES.map((one) => ({ ...one, columns: [...one.columns, 'id'] })) }],
    ['a NULL in a key', { columns: [column({ isNullable: true })] }],
  ])('finds a fault in %s', (_, changed) => {
    expect(found(facts({}, changed)).faults.length).toBeGreaterThan(0);
  });
});
