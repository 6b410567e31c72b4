import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EventView } from '../../../src/api/contract.ts';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { BATON, linesOf, runBaton } from '../../support/run-baton.ts';
import { TestDaemon } from '../../support/test-daemon.ts';

const scratch = scratchFolder('node-life');
const folder = (name: string) => new DataFolder(join(scratch, name));

/** Every file with its mode and what is in it. */
function bytesOf(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .map((file) => [file, statSync(file)] as const)
    .map(([file, stat]) => `${file} ${stat.mode} ${stat.isFile() ? hashOf(file) : ''}`)
    .sort();
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Whether the file was seen before the end. */
async function watchFor(data: DataFolder, name: string, end: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  void end.then(() => {
    isOver = true;
  });
  while (!isOver && !data.has(name)) await new Promise((resolve) => setImmediate(resolve));
  return data.has(name);
}

test('a node says where it is in a file for its owner only, and takes it away when it ends', async () => {
  const data = folder('file');
  const daemon = await TestDaemon.start(data.path);
  const { url, token, pid } = daemon.facts;
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(pid, daemon.child.pid);
  assert.ok(token.length >= 43);
  assert.equal(statSync(join(data.path, 'node.json')).mode & 0o777, 0o600);
  assert.equal(statSync(data.path).mode & 0o777, 0o700);
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  assert.equal((await fetch(`${url}/v1/status`)).status, 401);
  assert.equal((await fetch(`${url}/v1/status`, { headers: { authorization: `Bearer ${token}` } })).status, 200);
  assert.deepEqual(await daemon.end(), { status: 0, signal: null });
  assert.equal(data.has('node.json'), false);
  assert.equal(data.has('ledger.sqlite-wal'), false);
  assert.deepEqual(daemon.events, ['node.started', 'node.stopping', 'node.stopped']);
  assert.doesNotMatch(daemon.stdout + daemon.stderr, new RegExp(token));
});

for (const signal of ['SIGINT', 'SIGHUP'] as const) {
  test(`${signal} ends a node as cleanly as SIGTERM does`, async () => {
    const daemon = await TestDaemon.start(folder(signal).path);
    assert.deepEqual(await daemon.end(signal), { status: 0, signal: null });
    assert.equal(folder(signal).has('node.json'), false);
  });
}

test('twenty signals in a row do no harm', async () => {
  const data = folder('twenty');
  const daemon = await TestDaemon.start(data.path);
  await daemon.client.createTask({ title: 'Kept' });
  for (let at = 0; at < 20; at++) daemon.child.kill('SIGTERM');
  assert.equal((await daemon.ended).signal, null);
  assert.equal(data.has('node.json'), false);
  const [task] = linesOf<TaskView>(await data.run(['task', 'list', '--json']));
  assert.equal(task?.title, 'Kept');
  assert.equal((await data.run(['doctor'])).status, 0);
});

test('a second daemon ends by itself, says who has the folder, and changes no byte', async () => {
  const data = folder('second');
  const first = await TestDaemon.start(data.path);
  await first.client.createTask({ title: 'One' });
  await first.client.treeSettled();
  const before = bytesOf(data.path);
  for (const flags of [[], ['-d']]) {
    const second = await data.run(['up', ...flags, '--json']);
    assert.equal(second.status, 2);
    assert.match(second.stderr, new RegExp(`has a node already: process ${first.child.pid}, at http`));
    assert.equal(linesOf<{ code: string }>(second)[0]?.code, 'folder_in_use');
  }
  assert.deepEqual(bytesOf(data.path), before);
  await first.end();
});

test('after kill -9 the next node takes the place of the dead one and has its ledger looked at', async () => {
  const data = folder('killed');
  const first = await TestDaemon.start(data.path);
  const made = await first.client.createTask({ title: 'Before' });
  const old = first.facts;
  await first.end('SIGKILL');
  assert.ok(data.has('node.json'));
  const [task] = linesOf<TaskView>(await data.run(['task', 'list', '--json']));
  assert.partialDeepStrictEqual(task, made);
  const second = await TestDaemon.start(data.path);
  assert.notEqual(second.facts.token, old.token);
  await second.untilLogged('ledger.checked');
  assert.deepEqual(second.events, ['ledger.unclean', 'node.started', 'ledger.checked']);
  await second.end();
  const third = await TestDaemon.start(data.path);
  await third.end();
  assert.ok(!third.events.includes('ledger.unclean'));
});

test('in the background a node is ready when the command returns, and down ends it', async () => {
  const data = folder('background');
  const up = await data.json<{ url: string; pid: number; log: string }>('up', '-d');
  assert.equal((await fetch(`${up.url}/readyz`)).status, 200);
  assert.equal(data.readJson<{ pid: number }>('node.json').pid, up.pid);
  assert.match(data.read('node.log'), /"event":"node.started"/);
  assert.equal(statSync(up.log).mode & 0o777, 0o600);
  const down = await data.json<{ stopped: boolean; pid: number }>('down');
  assert.deepEqual([down.stopped, down.pid], [true, up.pid]);
  assert.equal(data.has('node.json'), false);
  assert.equal((await data.json<{ stopped: boolean }>('down')).stopped, false);
});

test('down in a place without a data folder says that no node is running, and creates nothing', async () => {
  const place = join(scratch, 'no folder');
  mkdirSync(join(place, 'empty'), { recursive: true });
  const run = await runBaton(['down'], { folder: place });
  assert.deepEqual([run.status, run.stderr], [0, '']);
  assert.match(run.stdout, /^no node of .*\.baton is running$/m);
  const named = await runBaton(['down', '--json', '--data', join(place, 'empty')]);
  assert.equal(linesOf<{ stopped: boolean }>(named)[0]?.stopped, false, named.stderr);
  assert.deepEqual([readdirSync(place), readdirSync(join(place, 'empty'))], [['empty'], []]);
});

test('down ends no process for its number alone', async () => {
  const data = folder('stranger');
  await data.json('init');
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const facts = { url: 'http://127.0.0.1:1', token: 'x'.repeat(43), pid: stranger.pid, pidStart: '1' };
  writeFileSync(join(data.path, 'node.json'), JSON.stringify(facts), { mode: 0o600 });
  assert.equal((await data.json<{ stopped: boolean }>('down')).stopped, false);
  const start = readFileSync(`/proc/${stranger.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
  writeFileSync(join(data.path, 'node.json'), JSON.stringify({ ...facts, pidStart: start }), { mode: 0o600 });
  const silent = await data.run(['down', '--json']);
  assert.deepEqual([silent.status, linesOf<{ code: string }>(silent)[0]?.code], [2, 'node_not_answering']);
  assert.equal(stranger.exitCode, null);
  stranger.kill();
});

test('a node.json that others could have written is not believed', async () => {
  const data = folder('open file');
  const daemon = await TestDaemon.start(data.path);
  const file = join(data.path, 'node.json');
  writeFileSync(file, JSON.stringify({ ...daemon.facts, url: 'http://127.0.0.1:1' }), { mode: 0o600 });
  chmodSync(file, 0o644);
  const second = TestDaemon.spawn(data.path);
  assert.equal(await second.isUp(), false, 'two nodes have one folder');
  assert.equal((await second.ended).status, 2);
  assert.match(second.stdout, /"code":"folder_in_use"/);
  await daemon.end();
});

test('a node whose port is taken ends with 2, says nowhere that it is there, and lets go of the folder', async () => {
  const first = await TestDaemon.start(folder('port').path);
  const { port } = new URL(first.facts.url);
  const data = folder('same port');
  const second = TestDaemon.spawn(data.path, '--port', port);
  const sawFile = watchFor(data, 'node.json', second.ended);
  assert.deepEqual(await second.ended, { status: 2, signal: null });
  assert.match(second.stdout, /"code":"port_in_use"/);
  assert.equal(await sawFile, false);
  assert.equal((await data.newTask('Made without a node')).status, 'backlog');
  await first.end();
});

test('whoever finds the file of a node finds its server open and the node ready', async () => {
  const data = folder('ready');
  const daemon = TestDaemon.spawn(data.path);
  assert.equal(await watchFor(data, 'node.json', daemon.ended), true);
  const { url } = daemon.facts;
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  assert.ok(await daemon.isUp());
  await daemon.end();
});

test('events are followed through a node, and without one by being it', async () => {
  const data = folder('follow');
  await data.newTask('First');
  const follower = spawn(BATON, ['events', '--follow', '--json', '--data', data.path]);
  const seen: number[] = [];
  follower.stdout.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.split('\n').filter(Boolean)) seen.push((JSON.parse(line) as EventView).eventId);
  });
  const until = async (count: number) => {
    while (seen.length < count) await once(follower.stdout, 'data');
  };
  await until(1);
  assert.equal(data.readJson<{ pid: number }>('node.json').pid, follower.pid);
  await data.newTask('Second');
  await until(2);
  follower.kill('SIGINT');
  assert.deepEqual(await once(follower, 'close'), [0, null]);
  assert.equal(data.has('node.json'), false);
  assert.deepEqual(seen, [1, 2]);
});

test('who follows goes on with the next node, and misses and repeats nothing', async () => {
  const data = folder('follow on');
  const first = await TestDaemon.start(data.path);
  const follower = spawn(BATON, ['events', '--follow', '--json', '--data', data.path]);
  let text = '';
  follower.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const ids = () => [...text.matchAll(/"eventId":(\d+)/g)].map(([, id]) => Number(id));
  const until = async (count: number) => {
    while (ids().length < count) await once(follower.stdout, 'data');
  };
  await data.newTask('One');
  await until(1);
  await first.end();
  await data.newTask('Two');
  await until(2);
  await data.newTask('Three');
  await until(3);
  follower.kill('SIGTERM');
  await once(follower, 'close');
  assert.deepEqual(ids(), [1, 2, 3]);
});
