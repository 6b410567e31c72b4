import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { isRefusal } from '../domain/refusal.ts';
import { openNode } from '../node.ts';

const scratch = mkdtempSync(join(tmpdir(), 'baton-backup-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

test('a backup that is taken under load shows one instant: no task without its event, no event without its task', async () => {
  const client = await openNode({ dataFolder: join(scratch, 'data'), onFatal: (fault) => assert.fail(fault) });
  const create = async (worker: number) => {
    for (let at = 0; at < 40; at++) await client.createTask({ title: `${worker} ${at}`, body: 'x'.repeat(10_000) });
  };
  await Promise.all([0, 1].map(create));
  const load = Promise.all([2, 3, 4, 5].map(create));
  const copies = [1, 2, 3].map((number) => join(scratch, `${number}.bak`));
  for (const copy of copies) assert.ok(!isRefusal(await client.backup({ file: copy })));
  await load;
  await client.close();
  for (const copy of copies) {
    const db = new DatabaseSync(copy, { readOnly: true });
    const count = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0]);
    const tasks = count('SELECT count(*) FROM tasks');
    assert.ok(tasks >= 80 && tasks <= 240);
    assert.equal(count("SELECT count(*) FROM events WHERE type = 'task.created'"), tasks);
    assert.equal(count('SELECT max(seq) FROM events'), count('SELECT count(*) FROM events'));
    assert.deepEqual(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
    db.close();
  }
});
