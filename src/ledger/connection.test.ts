import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { NEW_TASK } from '../../test/support/task/task-life.ts';
import { openTestLedger, suiteScratch } from '../../test/support/test-ledger.ts';
import { createTask } from '../operations/task/create-task.ts';
import { openConnection } from './connection.ts';
import { LedgerFault } from './fault.ts';
import { NEWEST_SCHEMA } from './migrations/migrate.ts';

function fresh(name: string): string {
  const folder = join(suiteScratch(), name);
  mkdirSync(folder, { recursive: true });
  return join(folder, 'ledger.sqlite');
}

function value(db: DatabaseSync, pragma: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
}

function refusal(file: string): LedgerFault {
  try {
    openConnection(file).close();
  } catch (error) {
    assert.ok(error instanceof LedgerFault, String(error));
    return error;
  }
  return assert.fail('it was opened');
}

test('every connection that writes is safe against a power cut, also after its first write', async () => {
  const at = openTestLedger();
  await at.ledger.submit(createTask, NEW_TASK);
  const pragmas = ['synchronous', 'journal_mode', 'foreign_keys', 'busy_timeout'];
  assert.deepEqual(
    pragmas.map((pragma) => value(at.ledger.database, pragma)),
    [2, 'wal', 1, 5000],
  );
  assert.ok(Number(process.versions.sqlite?.split('.')[1]) >= 51, process.versions.sqlite);
});

test('a schema of a newer Baton is refused and left alone', () => {
  const file = fresh('newer');
  openConnection(file).close();
  const db = new DatabaseSync(file);
  db.exec('PRAGMA user_version = 99');
  db.close();
  const before = readFileSync(file);
  assert.match(refusal(file).message, /schema 99.*newer Baton/);
  assert.deepEqual(readFileSync(file), before);
});

test('a migration that was cut leaves nothing behind that a ledger could be taken for', () => {
  const file = fresh('cut');
  writeFileSync(`${file}.new`, 'half a ledger');
  openConnection(file).close();
  const db = new DatabaseSync(file, { readOnly: true });
  assert.equal(value(db, 'user_version'), NEWEST_SCHEMA);
  db.close();
});

test('a database that is no ledger is refused and left alone', () => {
  const file = fresh('stranger');
  const db = new DatabaseSync(file);
  db.exec('CREATE TABLE accounts (id INTEGER)');
  db.close();
  const before = readFileSync(file);
  assert.match(refusal(file).message, /no Baton ledger/);
  assert.deepEqual(readFileSync(file), before);
});

test('an empty file is a damaged ledger, not a new one', () => {
  const file = fresh('emptied');
  openConnection(file).close();
  truncateSync(file, 0);
  assert.match(refusal(file).message, /damaged; it was left as it is/);
  assert.equal(readFileSync(file).length, 0);
});

test('an emptied ledger keeps its log: SQLite would throw it away', () => {
  const file = fresh('emptied-with-log');
  const db = openConnection(file);
  const log = readFileSync(`${file}-wal`);
  db.close();
  truncateSync(file, 0);
  writeFileSync(`${file}-wal`, log);
  assert.match(refusal(file).message, /damaged/);
  assert.deepEqual(readFileSync(`${file}-wal`), log);
});

test('a ledger that is gone while its log is there is not begun anew', () => {
  const file = fresh('gone');
  const db = openConnection(file);
  copyFileSync(`${file}-wal`, `${file}-kept`);
  db.close();
  rmSync(file);
  copyFileSync(`${file}-kept`, `${file}-wal`);
  assert.match(refusal(file).message, /is gone, but its log/);
  assert.deepEqual(readFileSync(`${file}-wal`), readFileSync(`${file}-kept`));
});

test('text in the place of the ledger is refused', () => {
  const file = fresh('text');
  writeFileSync(
    file,
    'not a database at all, but long enough to have a header of a hundred bytes, and then some more of it',
  );
  assert.match(refusal(file).message, /damaged/);
});

test('a folder that cannot be opened says which file', () => {
  assert.match(refusal(join(suiteScratch(), 'nowhere', 'ledger.sqlite')).message, /cannot open .*nowhere/);
});

test('a ledger whose first opening was cut off amid a change is played back and opened', () => {
  const file = fresh('journal');
  openConnection(file).close();
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; CREATE TABLE half (x)');
  db.exec(
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) INSERT INTO half SELECT zeroblob(900) FROM n',
  );
  const cut = fresh('journal-cut');
  for (const suffix of ['', '-journal']) copyFileSync(`${file}${suffix}`, `${cut}${suffix}`);
  db.close();
  const opened = openConnection(cut);
  assert.equal(opened.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'half'").get()?.n, 0);
  opened.close();
});
