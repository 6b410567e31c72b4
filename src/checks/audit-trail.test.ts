import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openNodeKey } from '../platform/node-key.ts';
import { TRAIL_FOLDER, verifyTrail, writeTrail } from './audit-trail.ts';

function record(at: number): object {
  return { record_type: 'ROUTING_DECISION', session_id: 'SES-1', data: { number: at } };
}

/** A signed trail of six records in a folder of its own. */
async function writtenTrail(t: TestContext): Promise<{ readonly folder: string; readonly keyId: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-trail-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const key = openNodeKey(folder);
  await writeTrail(folder, { sessionId: 'SES-1', records: Array.from({ length: 6 }, (_, at) => record(at)) }, key);
  return { folder, keyId: key.keyId };
}

function swap(records: string, one: string, other: string): void {
  renameSync(join(records, one), join(records, 'aside'));
  renameSync(join(records, other), join(records, one));
  renameSync(join(records, 'aside'), join(records, other));
}

function replaceByLink(records: string, name: string): void {
  renameSync(join(records, name), join(records, '..', 'elsewhere.json'));
  symlinkSync('../elsewhere.json', join(records, name));
}

function replaceByPipe(records: string, name: string): void {
  rmSync(join(records, name));
  execFileSync('mkfifo', [join(records, name)]);
}

const DAMAGES: readonly [string, (records: string) => void, string, RegExp][] = [
  [
    'records that changed places',
    (at) => swap(at, '000003.json', '000005.json'),
    'audit/000003.json',
    /record 5: it was moved/,
  ],
  [
    'neighbours that changed places',
    (at) => swap(at, '000001.json', '000002.json'),
    'audit/000001.json',
    /record 2: it was moved/,
  ],
  ['a folder among the records', (at) => mkdirSync(join(at, 'more')), 'audit/more', /no record/],
  [
    'a folder in the place of a record',
    (at) => [rmSync(join(at, '000006.json')), mkdirSync(join(at, '000006.json'))],
    'audit/000006.json',
    /no regular file/,
  ],
  ['a link in the place of a record', (at) => replaceByLink(at, '000002.json'), 'audit/000002.json', /no regular file/],
  ['a pipe in the place of a record', (at) => replaceByPipe(at, '000004.json'), 'audit/000004.json', /no regular file/],
  [
    'a pipe in the place of the head',
    (at) => replaceByPipe(join(at, '..'), 'audit_head.json'),
    'audit_head.json',
    /no head/,
  ],
];

for (const [name, damage, file, reason] of DAMAGES) {
  test(`${name}: named, with the reason`, async (t) => {
    const { folder, keyId } = await writtenTrail(t);
    damage(join(folder, TRAIL_FOLDER));
    const { verdict, firstBad } = await verifyTrail(folder, [keyId]);
    assert.equal(verdict, 'broken');
    assert.equal(firstBad?.file, file);
    assert.match(firstBad?.reason ?? '', reason);
  });
}

test('a trail that is written again leaves its records alone, and drops those that it does not have', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-trail-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const key = openNodeKey(folder);
  const write = (count: number) => {
    const records = Array.from({ length: count }, (_, at) => record(at));
    return writeTrail(folder, { sessionId: 'SES-1', records }, key);
  };
  const written = () => {
    const names = readdirSync(join(folder, TRAIL_FOLDER)).sort();
    return names.map((name) => [name, statSync(join(folder, TRAIL_FOLDER, name), { bigint: true }).mtimeNs]);
  };
  await write(3);
  const first = written();
  await write(3);
  assert.deepEqual(written(), first);
  await write(2);
  assert.deepEqual(written(), first.slice(0, 2));
  assert.equal((await verifyTrail(folder, [key.keyId])).verdict, 'intact');
});
