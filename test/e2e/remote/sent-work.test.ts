import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { noNatsServer } from '../../../scripts/nats-server.mjs';
import type { StatusAnswer } from '../../../src/api/contract.ts';
import { natsNames } from '../../../src/federation/nats/frame-message.ts';
import { NatsTransport } from '../../../src/federation/nats/nats-transport.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { silentLogger } from '../../../src/platform/logger.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import { type JoinedNode, NodeStage, sees } from '../../support/federation/joined-nodes.ts';
import { TestBroker } from '../../support/federation/test-broker.ts';
import { connected } from '../../support/federation/transport-stages.ts';
import { runBaton } from '../../support/run-baton.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new NodeStage('sent-work');
const AGENT = { driver: 'demo' };

function git(node: JoinedNode, ...args: string[]): string {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@x'];
  return execFileSync('git', [...who, ...args], { cwd: node.workspace, encoding: 'utf8' });
}

function write(node: JoinedNode, path: string, text: string): void {
  mkdirSync(join(node.workspace, path, '..'), { recursive: true });
  writeFileSync(join(node.workspace, path), text);
}

function read(node: JoinedNode, path: string): string {
  return readFileSync(join(node.workspace, path), 'utf8');
}

/** A repository with a commit, and work that is not committed. */
function fill(node: JoinedNode): void {
  git(node, 'init', '-q');
  write(node, 'committed.txt', 'committed\n');
  write(node, 'dirty.txt', 'before\n');
  write(node, '.gitignore', '*.log\n');
  git(node, 'add', '-A');
  git(node, 'commit', '-q', '-m', 'first');
  write(node, 'dirty.txt', 'not committed\n');
  write(node, 'new.txt', 'untracked\n');
  write(node, 'secret.log', 'ignored\n');
}

const WORDS = ['@demo say hello', '@demo append dirty.txt there', '@demo write made.txt made'].join('\n');
const CHECKS = ['test -s made.txt', 'grep -q "not committed" dirty.txt', 'test -s new.txt', 'test ! -e secret.log'];

describe('work that travels over NATS', { concurrency: 1, skip: noNatsServer() || noBubblewrap }, () => {
  let broker: TestBroker;
  let left: JoinedNode;
  let right: JoinedNode;
  before(async () => {
    const folder = join(stage.folder, 'server');
    const made = await runBaton(['node', 'server', 'left', 'right', '--out', folder, '--json']);
    assert.equal(made.status, 0, made.stderr);
    const settings = readFileSync(join(folder, 'nats.conf'), 'utf8').replace(/^(listen|jetstream).*\n/gm, '');
    broker = await TestBroker.start({ settings });
    const over = (name: string) => ({ transport: 'nats', url: broker.url, creds: join(folder, `${name}.nkey`) });
    left = await stage.node('left', { federation: over('left') });
    right = await stage.node('right', { agents: { critic: AGENT }, federation: over('right') });
    fill(left);
    for (const node of [left, right]) await node.up();
    await sees(left, 'right');
  });
  after(async () => {
    for (const node of [left, right]) await node.run(['down']);
    await broker.kill();
  });

  test('is done on the files as they are here, checked there, and comes back as work that waits', async () => {
    const run = await left.order(WORDS, '--on', 'right', ...CHECKS.flatMap((check) => ['--check', check]));
    assert.equal(run.status, 0, run.stdout + run.stderr);
    assert.match(run.stdout, /taken +by critic on right/);
    const task = await left.task();
    assert.deepEqual([task.status, task.work, task.remote?.node], ['done', 'waiting', 'right']);
    assert.equal(task.runs.at(-1)?.agent, 'critic@right');
    assert.equal(existsSync(join(left.workspace, 'made.txt')), false, 'nothing changes here before it is applied');
    assert.equal(read(left, 'dirty.txt'), 'not committed\n');
    const { counts } = await left.json<StatusAnswer>('status');
    assert.equal(counts.done, 1);
  });

  test('its difference, output, trace and receipt are read here', async () => {
    const diff = await left.run(['diff', '@']);
    assert.match(diff.stdout, /\+there/);
    assert.match(diff.stdout, /made\.txt/);
    assert.doesNotMatch(diff.stdout, /secret/);
    assert.match((await left.run(['logs', '@'])).stdout, /hello/);
    assert.match((await left.run(['trace', '@'])).stdout, /critic@right[\s\S]*hello/);
    const verified = await left.run(['receipt', 'verify', '@']);
    assert.equal(verified.status, 0, verified.stdout + verified.stderr);
    assert.match(verified.stdout, /by the node right, a known key/);
  });

  test('it is applied among the uncommitted files, byte for byte, and undone', async () => {
    const applied = await left.run(['apply', '@']);
    assert.equal(applied.status, 0, applied.stdout + applied.stderr);
    assert.equal(read(left, 'made.txt'), 'made\n');
    assert.equal(read(left, 'dirty.txt'), 'not committed\nthere\n');
    assert.equal(read(left, 'new.txt'), 'untracked\n');
    const undone = await left.run(['undo', '@']);
    assert.equal(undone.status, 0, undone.stdout + undone.stderr);
    assert.equal(existsSync(join(left.workspace, 'made.txt')), false);
    assert.equal(read(left, 'dirty.txt'), 'not committed\n');
  });

  test('work that fails its check there is looked at here, too', async () => {
    const run = await left.order(
      '@demo write bad.txt x',
      '--on',
      'right',
      '--retries',
      '0',
      '--check',
      'test -s good.txt',
    );
    assert.equal(run.status, 1, run.stdout);
    assert.match((await left.run(['diff', '@'])).stdout, /bad\.txt/);
    assert.equal((await left.task()).status, 'blocked');
  });

  test('the store keeps nothing of what has arrived', async () => {
    const names = natsNames('baton');
    const parts = { clock: systemClock(), timer: systemTimer(), log: silentLogger };
    const creds = join(stage.folder, 'server', 'left.nkey');
    const store = new NatsTransport({ ...parts, url: broker.url, creds, tls: null, names, node: 'left', replicas: 1 });
    await connected(store);
    const parcels = [...left.outbox('task_create'), ...right.outbox('task_%')].flatMap(({ payload }) => [
      payload.x_work,
      payload.x_result,
    ]) as ({ blobs: { sha256: string }[] } | undefined)[];
    const blobs = parcels.flatMap((parcel) => parcel?.blobs ?? []);
    assert.ok(blobs.length >= 4);
    for (const { sha256 } of blobs) assert.equal(await store.hasBlob(sha256), false, sha256);
    await store.close();
  });
});
