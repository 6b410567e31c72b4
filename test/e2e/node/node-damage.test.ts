import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { linesOf } from '../../support/run-baton.ts';
import { taken } from '../../support/taken.ts';
import { TestDaemon } from '../../support/test-daemon.ts';

const scratch = scratchFolder('node-damage');
const LARGE = 'x'.repeat(900_000);

interface Finding {
  readonly about: string;
  readonly state: string;
}

/** A page that holds an index, which a change uses and a look at tasks does not. */
function damageIndex(file: string): void {
  // One that can write takes its log away again when it is closed.
  const db = new DatabaseSync(file);
  const root = Number(
    db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'tasks_by_resource'").get()?.['rootpage'],
  );
  const bytes = Number(db.prepare('PRAGMA page_size').get()?.['page_size']);
  db.close();
  const open = openSync(file, 'r+');
  writeSync(open, Buffer.alloc(64, 0xff), 0, 64, (root - 1) * bytes);
  closeSync(open);
}

/** A ledger too large to be looked at whole at every opening, whose last node was killed. */
async function killedNode(data: DataFolder): Promise<void> {
  const daemon = await TestDaemon.start(data.path);
  for (const title of ['One', 'Two', 'Three']) await daemon.client.createTask({ title, body: LARGE });
  await daemon.end('SIGKILL');
  await takeLogAway(data);
  assert.ok(statSync(join(data.path, 'ledger.sqlite')).size > 2_500_000);
}

/** The last process that closes the ledger takes its log away; one that still checks the ledger is not the last. */
async function takeLogAway(data: DataFolder): Promise<void> {
  do await data.json('status');
  while (data.has('ledger.sqlite-wal'));
}

test('damage that shows after an unclean stop ends every change; looking goes on; the node ends with 1', async () => {
  const data = new DataFolder(join(scratch, 'damaged'));
  await killedNode(data);
  damageIndex(join(data.path, 'ledger.sqlite'));
  const before = readFileSync(join(data.path, 'ledger.sqlite'));
  const daemon = await TestDaemon.start(data.path);
  await daemon.untilLogged('ledger.damaged');
  const refused = await daemon.client.createTask({ title: 'Four' });
  assert.ok(isRefusal(refused) && refused.code === 'ledger_damaged');
  const { url, token } = daemon.facts;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/tasks`, { method: 'POST', headers, body: '{"title":"Five"}' });
  assert.equal(answer.status, 503);
  const listed = await daemon.client.listTasks({ all: true });
  assert.ok(!isRefusal(listed) && listed.tasks.length === 3);
  const { incidents } = taken(await daemon.client.status());
  assert.equal(incidents[0]?.kind, 'ledger_damaged');
  assert.equal((await fetch(`${url}/readyz`)).status, 503);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  const doctor = await data.run(['doctor', '--json']);
  assert.equal(doctor.status, 1);
  const wrong = linesOf<Finding>(doctor).filter(({ state }) => state === 'wrong');
  assert.deepEqual(
    wrong.map(({ about }) => about),
    ['incident ledger_damaged', 'ledger'],
  );
  assert.equal((await daemon.end()).status, 1);
  const size = Math.min(before.length, statSync(join(data.path, 'ledger.sqlite')).size);
  assert.ok(size >= before.length, 'nothing was cut off');
});

test('a ledger that a node found damaged is not written again by anybody, until another is in its place', async () => {
  const data = new DataFolder(join(scratch, 'marked'));
  const backup = join(scratch, 'marked.bak');
  await killedNode(data);
  await data.json('backup', backup);
  const killed = await TestDaemon.start(data.path);
  await killed.end('SIGKILL');
  await takeLogAway(data);
  damageIndex(join(data.path, 'ledger.sqlite'));
  const daemon = await TestDaemon.start(data.path);
  await daemon.untilLogged('ledger.damaged');
  assert.equal((await daemon.end()).status, 1);
  const before = readFileSync(join(data.path, 'ledger.sqlite'));
  for (const args of [['task', 'new', '--title', 'Four'], ['up'], ['up', '-d']]) {
    const refused = await data.run([...args, '--json']);
    assert.deepEqual(
      [refused.status, linesOf<{ code: string }>(refused)[0]?.code],
      [2, 'ledger_damaged'],
      args.join(' '),
    );
  }
  assert.ok(before.equals(readFileSync(join(data.path, 'ledger.sqlite'))));
  await data.json('restore', backup);
  await data.newTask('Four');
  assert.equal((await data.run(['doctor'])).status, 0);
});

test('a sound ledger is looked at after an unclean stop, and changes go on meanwhile', async () => {
  const data = new DataFolder(join(scratch, 'sound'));
  await killedNode(data);
  const daemon = await TestDaemon.start(data.path);
  assert.ok(!isRefusal(await daemon.client.createTask({ title: 'Four' })));
  await daemon.untilLogged('ledger.checked');
  assert.equal((await daemon.end()).status, 0);
});

test('doctor finds each thing that is wrong, tells what to do, and touches nothing', async () => {
  const data = new DataFolder(join(scratch, 'doctor'));
  await data.newTask('One');
  const well = await data.run(['doctor', '--json']);
  assert.equal(well.status, 0, well.stdout);
  const names = linesOf<Finding>(well).map(({ about }) => about);
  for (const about of ['Node', 'SQLite', 'git', 'sandbox', 'folder', 'node', 'disk', 'ledger', 'schema', 'files'])
    assert.ok(names.includes(about), about);
  damageIndex(join(data.path, 'ledger.sqlite'));
  const before = readFileSync(join(data.path, 'ledger.sqlite'));
  const sick = await data.run(['doctor']);
  assert.equal(sick.status, 1);
  assert.match(sick.stdout, /wrong {2}ledger: is damaged: .*\n {7}try: baton restore FILE/);
  assert.ok(before.equals(readFileSync(join(data.path, 'ledger.sqlite'))));
  assert.equal(data.has('ledger.sqlite-wal'), false);
  const nothing = new DataFolder(join(scratch, 'nothing'));
  assert.equal((await nothing.run(['doctor'])).status, 2);
  assert.equal(nothing.has(''), false);
});

test('doctor tells of a ledger that is gone while its tree or its log is there', async () => {
  for (const left of ['events', 'ledger.sqlite-wal']) {
    const data = new DataFolder(join(scratch, `gone-${left}`));
    await data.newTask('One');
    rmSync(join(data.path, 'ledger.sqlite'));
    if (left !== 'events') {
      rmSync(join(data.path, 'events'), { recursive: true });
      writeFileSync(join(data.path, left), 'log');
    }
    const doctor = await data.run(['doctor']);
    assert.equal(doctor.status, 1, doctor.stdout);
    assert.match(
      doctor.stdout,
      /wrong {2}ledger: .*ledger\.sqlite is missing, but .* exists\n {7}try: baton restore FILE/,
    );
    assert.equal(data.has('ledger.sqlite'), false);
  }
});

test('a node whose data folder was removed ends by itself, and answers nothing that is not kept', async () => {
  const data = new DataFolder(join(scratch, 'removed'));
  const daemon = await TestDaemon.start(data.path);
  taken(await daemon.client.createTask({ title: 'One' }));
  rmSync(data.path, { recursive: true, force: true, maxRetries: 10 });
  assert.deepEqual(await daemon.ended, { status: 1, signal: null });
  assert.match(daemon.stderr + daemon.stdout, /was removed or replaced while this node had it open/);
});
