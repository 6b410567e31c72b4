import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { randomOf, SEED } from '../../test/support/seed.ts';
import { suiteScratch } from '../../test/support/test-ledger.ts';
import { openConnection, openEmptyConnection } from './connection.ts';
import { inspectLedger } from './damage.ts';
import { LedgerFault } from './fault.ts';
import { digestOf, isNewestDigest, readObjects } from './schema-damage.ts';

function fresh(name: string): string {
  const folder = join(suiteScratch(), name);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'ledger.sqlite');
  openConnection(file).close();
  return file;
}

/** A page has what was in it before beside what is in it now: every place of a text is changed in the same way. */
function placesOf(bytes: Buffer, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at);
  assert.ok(places.length > 0, text);
  return places;
}

function refusalOf(file: string): string {
  try {
    openConnection(file).close();
  } catch (error) {
    assert.ok(error instanceof LedgerFault && error.code === 'ledger_damaged', String(error));
    return error.message;
  }
  return '';
}

test('a ledger in whose schema one bit flips is refused, wherever in a text it is, and left alone', () => {
  const file = fresh('flipped');
  const sound = readFileSync(file);
  const db = new DatabaseSync(file, { readOnly: true });
  const objects = db.prepare('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL').all() as unknown as {
    name: string;
    sql: string;
  }[];
  db.close();
  const random = randomOf(SEED, 0);
  for (const { name, sql } of objects) {
    const [at, bit] = [random(sql.length), random(7)];
    const bytes = Buffer.from(sound);
    for (const place of placesOf(sound, sql)) bytes[place + at] = (bytes[place + at] ?? 0) ^ (1 << bit);
    writeFileSync(file, bytes);
    assert.match(refusalOf(file), /is damaged; it was left as it is/, `${name}, byte ${at}`);
    assert.deepEqual(readFileSync(file), bytes);
    assert.notEqual(inspectLedger(file, () => assert.fail('it was read')).damage, null, name);
  }
});

test('a refused schema names the table', () => {
  const file = fresh('named');
  const bytes = readFileSync(file);
  for (const place of placesOf(bytes, '  title TEXT NOT NULL,\n  status')) bytes.write('tille', place + 2);
  writeFileSync(file, bytes);
  assert.match(refusalOf(file), /\(the definition of table tasks is not as Baton wrote it\)/);
});

test('a schema number that is lower than the tables are is damage, no migration', () => {
  for (const number of [0, 3, 18]) {
    const file = fresh(`number-${number}`);
    const db = new DatabaseSync(file);
    db.exec(`PRAGMA user_version = ${number}`);
    db.close();
    const before = readFileSync(file);
    assert.match(refusalOf(file), /is damaged/, String(number));
    assert.deepEqual(readFileSync(file), before);
  }
});

test('an index or statistics that a person added to a ledger are no damage', () => {
  const file = fresh('added');
  const db = new DatabaseSync(file);
  db.exec('CREATE INDEX mine ON tasks (title); ANALYZE');
  db.close();
  assert.equal(refusalOf(file), '');
});

test('the digest of the newest schema is up to date, so that opening a sound ledger compares no texts', () => {
  const db = openEmptyConnection();
  const digest = digestOf(readObjects(db));
  db.close();
  assert.ok(isNewestDigest(digest), `NEWEST_DIGEST in schema-damage.ts is ${digest} now`);
});
