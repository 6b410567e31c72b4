import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openNodeKey } from '../platform/node-key.ts';
import { TRAIL_FOLDER, verifyTrail, writeTrail } from './audit-trail.ts';

function record(at: number): object {
  return { record_type: 'ROUTING_DECISION', session_id: 'SES-1', data: { number: at } };
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
