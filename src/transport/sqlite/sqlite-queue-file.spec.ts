import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteQueueFile } from './sqlite-queue-file.js';

const TOPIC = 'wecom.events';

let folder: string;
let path: string;
let database: DatabaseSyncInstance;
const files: SqliteQueueFile[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wecom-queue-file-'));
  path = join(folder, 'queue.db');
});

afterEach(() => {
  for (const file of files) file.close();
  files.length = 0;
  rmSync(folder, { recursive: true });
});

function open(shared = false): SqliteQueueFile {
  const file = SqliteQueueFile.open({
    path,
    shared,
    busyTimeoutMs: 1,
    openDatabase: (name, timeout) => (database = new DatabaseSync(name, { timeout })),
  });
  files.push(file);
  return file;
}

function close(file: SqliteQueueFile): void {
  files.splice(files.indexOf(file), 1);
  file.close();
}

describe('SqliteQueueFile', () => {
  it('syncs every commit: write-ahead log with synchronous=FULL', () => {
    open();
    expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(database.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
  });

  it('refuses a file that another instance owns, and opens it as soon as that one has closed', () => {
    const first = open();
    first.transaction(() => first.append(TOPIC, 'a', 'body', 0));
    expect(() => open()).toThrow(expect.objectContaining({ code: 'TRANSPORT_FILE_IN_USE', path }));
    close(first);
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(open().count(TOPIC)).toBe(1);
  });

  it('refuses a file that a newer version wrote, and leaves it free', () => {
    const file = open();
    database.exec('PRAGMA user_version = 2');
    close(file);
    expect(() => open()).toThrow('version 2');
    expect(() => open()).toThrow('version 2');
  });

  it('keeps keys and bodies apart that differ after a null byte or only in how a number is written', () => {
    const file = open();
    const keys = ['7', '007', '7.0', 'a', 'a\0', 'a\0b'];
    file.transaction(() => keys.forEach((key) => file.append(TOPIC, key, `body of ${key}`, 0)));
    expect(file.scan(0, 10).map(({ orderingKey }) => orderingKey)).toEqual(keys);
    keys.forEach((key, index) => {
      expect(file.scanKey(TOPIC, key, 0, 10)).toEqual([index + 1]);
      expect(file.body(index + 1)).toBe(`body of ${key}`);
    });
  });

  it('never uses a sequence number twice, also when the newest message is gone', () => {
    const file = open();
    file.transaction(() => file.append(TOPIC, 'a', '', 0));
    file.transaction(() => file.remove(TOPIC, [1]));
    close(file);
    const again = open();
    again.transaction(() => again.append(TOPIC, 'a', '', 0));
    expect(again.scan(0, 10).map(({ seq }) => seq)).toEqual([2]);
  });

  it('keeps a count that follows commits and forgets what was rolled back', () => {
    const file = open();
    expect(file.count(TOPIC)).toBe(0);
    file.transaction(() => ['a', 'b', 'c'].forEach((key) => file.append(TOPIC, key, '', 0)));
    expect(file.count(TOPIC)).toBe(3);
    const failing = (): void =>
      file.transaction(() => {
        file.append(TOPIC, 'd', '', 0);
        throw new Error('after the insert');
      });
    expect(failing).toThrow('after the insert');
    expect(file.count(TOPIC)).toBe(3);
    file.transaction(() => file.remove(TOPIC, [1, 2, 99]));
    expect(file.count(TOPIC)).toBe(1);
  });

  it('puts a probe on the disk, and leaves nothing of it to read', () => {
    const file = open();
    expect(file.count('')).toBe(0);
    const logBytes = (): number => statSync(`${path}-wal`).size;
    const before = logBytes();
    file.transaction(() => file.probe());
    expect(logBytes() - before).toBeGreaterThan(8_192);
    expect([file.scan(0, 10), file.count('')]).toEqual([[], 0]);
  });

  it('names the topics that hold messages, the odd ones too, and no more than a hundred', () => {
    const file = open();
    expect(file.topics()).toEqual([]);
    const topics = ['b', 'a', 'é', 'B', 'a ', '10', '9'];
    file.transaction(() => [...topics, ...topics].forEach((topic) => file.append(topic, 'key', '', 0)));
    expect(file.topics()).toEqual([...topics].sort());
    const many = Array.from({ length: 200 }, (_, index) => `topic ${1_000 + index}`);
    file.transaction(() => {
      file.remove(
        '',
        file.scan(0, 100).map(({ seq }) => seq),
      );
      many.forEach((topic) => file.append(topic, 'key', '', 0));
    });
    expect(file.topics()).toEqual(many.slice(0, 100));
  });

  it('lets several processes write a shared file, but only one consume, until that one has gone', () => {
    const [first, second] = [open(true), open(true)];
    const version = first.dataVersion();
    second.transaction(() => second.append(TOPIC, 'a', '', 0));
    expect(first.dataVersion()).not.toBe(version);
    expect([first.count(TOPIC), second.count(TOPIC)]).toEqual([1, 1]);
    first.lockForConsuming();
    first.lockForConsuming();
    expect(() => second.lockForConsuming()).toThrow(expect.objectContaining({ code: 'TRANSPORT_FILE_IN_USE' }));
    close(first);
    second.lockForConsuming();
  });
});
