import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { noNatsServer } from '../../../scripts/nats-server.mjs';
import type { NodeStatusAnswer } from '../../../src/api/federation/federation-contract.ts';
import { httpClient } from '../../../src/api/http/http-client.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { TestBroker } from '../../support/federation/test-broker.ts';
import { inTime } from '../../support/in-time.ts';
import { linesOf } from '../../support/run-baton.ts';
import { taken } from '../../support/taken.ts';

const scratch = scratchFolder('broker-away');
/** Waiting for a connection took 6 s. */
const AT_ONCE_MS_MAX = 3_000;

async function joined(name: string, agent: string, url: string): Promise<DataFolder> {
  const folder = new DataFolder(join(scratch, name));
  await folder.json('init');
  const agents = { [agent]: { driver: 'process', command: ['true'], provider: 'OTHER', model: 'none' } };
  writeFileSync(join(folder.path, 'config.yaml'), JSON.stringify({ agents }));
  await folder.json('node', 'join', url, '--node', name);
  return folder;
}

async function timed<Value>(call: () => Promise<Value>): Promise<readonly [Value, number]> {
  const startedMs = performance.now();
  return [await call(), performance.now() - startedMs];
}

describe('while the broker is away', { skip: noNatsServer(), concurrency: 1 }, () => {
  let broker: TestBroker;
  let laptop: DataFolder;
  let tower: DataFolder;
  const client = () => httpClient(laptop.readJson<{ url: string; token: string }>('node.json'));
  before(async () => {
    broker = await TestBroker.start();
    laptop = await joined('laptop', 'emma', broker.url);
    tower = await joined('tower', 'critic', broker.url);
    for (const folder of [laptop, tower]) await folder.json('up', '-d');
    const isSeen = async () => taken(await client().nodeStatus()).peers.some(({ alive }) => alive);
    await inTime(
      (async () => {
        while (!(await isSeen())) await wait(100);
      })(),
      'the other node',
    );
  });
  after(async () => {
    for (const folder of [laptop, tower]) await folder.run(['down']);
    await broker.kill();
  });

  for (const [manner, leave, back] of [
    ['hangs', () => broker.signal('SIGSTOP'), async () => broker.signal('SIGCONT')],
    ['is killed', () => broker.kill(), () => broker.up()],
  ] as const) {
    test(`a broker that ${manner}: status and messages are answered from the ledger, and the messages arrive`, async () => {
      await leave();
      const [status, statusMs] = await timed(async () => taken(await client().nodeStatus()));
      const [peer] = status.peers;
      assert.deepEqual([status.connected, peer?.nodeId, peer?.life], [false, 'tower', 'unseen']);
      assert.deepEqual(
        peer?.agents.map(({ name }) => name),
        ['critic'],
      );
      assert.ok(Math.abs(Date.parse(peer?.seenAt ?? '') - Date.now()) < 120_000, peer?.seenAt ?? 'never');
      const [sent, sentMs] = await timed(async () =>
        taken(await client().sendMessage({ to: ['critic'], body: manner })),
      );
      assert.equal(sent.receipts[0]?.nodeId, 'tower');
      assert.ok(statusMs < AT_ONCE_MS_MAX && sentMs < AT_ONCE_MS_MAX, `${statusMs} ms, ${sentMs} ms`);
      await back();
      const isThere = async () =>
        linesOf<{ payload: { body: string } }>(await tower.run(['message', 'read', '--json']));
      await inTime(
        (async () => {
          while (!(await isThere()).some(({ payload }) => payload.body === manner)) await wait(100);
        })(),
        'the message',
      );
    });
  }

  test('a command that is the node itself answers, too, and says when others were seen last', async () => {
    for (const folder of [laptop, tower]) await folder.run(['down']);
    await broker.kill();
    const [run, ms] = await timed(() => laptop.run(['node', 'status']));
    assert.equal(run.status, 0, run.stderr);
    assert.match(run.stdout, /not connected .*\n\ntower +last seen \d\d:\d\d .*critic/);
    assert.ok(ms < 5_500, `${ms} ms`);
    const sent = await laptop.run(['message', 'send', 'critic', 'while everything is off']);
    assert.equal(sent.status, 0, sent.stderr);
    assert.match(sent.stdout, /not accepted yet/);
    await broker.up();
    const status = await laptop.json<NodeStatusAnswer>('node', 'status');
    assert.equal(status.connected, true);
  });
});
