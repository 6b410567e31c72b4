import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { noNatsServer } from '../../../scripts/nats-server.mjs';
import type { NodeStatusAnswer, SentMessageView } from '../../../src/api/federation/federation-contract.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { TestBroker } from '../../support/federation/test-broker.ts';
import { inTime } from '../../support/in-time.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';

const scratch = scratchFolder('federation');
const AGENT = { driver: 'process', command: ['true'], provider: 'OTHER', model: 'none' };

interface Mail {
  readonly eventId: string;
  readonly payload: { readonly body: string; readonly refEventId?: string };
}

/** A data folder with one agent, that has joined. */
async function joined(name: string, agent: string, place: string): Promise<DataFolder> {
  const folder = new DataFolder(join(scratch, name));
  await folder.json('init');
  writeFileSync(join(folder.path, 'config.yaml'), JSON.stringify({ agents: { [agent]: AGENT } }));
  const answer = await folder.json<{ nodeId: string }>('node', 'join', place, '--node', name.replace(/^.*-/, ''));
  assert.equal(answer.nodeId, name.replace(/^.*-/, ''));
  return folder;
}

function nodePid({ path }: DataFolder): number {
  return (JSON.parse(readFileSync(join(path, 'node.json'), 'utf8')) as { pid: number }).pid;
}

/** Asks again until the answer is the one that is waited for. */
async function eventually<Value>(ask: () => Promise<Value>, isIt: (value: Value) => boolean, what: string) {
  const asking = (async () => {
    for (;;) {
      const value = await ask();
      if (isIt(value)) return value;
      await wait(100);
    }
  })();
  return await inTime(asking, what);
}

const bodies = (mail: readonly Mail[]) => mail.map(({ payload }) => payload.body);

async function readAs(folder: DataFolder, agent: string): Promise<Mail[]> {
  return linesOf<Mail>(await folder.run(['message', 'read', '--agent', agent, '--json']));
}

interface Stage {
  readonly name: 'local' | 'nats';
  readonly skip: string | false;
  readonly open: () => Promise<{ readonly place: string; readonly broker: TestBroker | null }>;
}

const STAGES: readonly Stage[] = [
  { name: 'local', skip: false, open: async () => ({ place: join(scratch, 'shared'), broker: null }) },
  {
    name: 'nats',
    skip: noNatsServer(),
    open: async () => {
      const broker = await TestBroker.start();
      return { place: broker.url, broker };
    },
  },
];

for (const { name, skip, open } of STAGES) {
  describe(`two nodes over ${name}`, { skip, concurrency: 1 }, () => {
    let left: DataFolder;
    let right: DataFolder;
    let broker: TestBroker | null = null;
    before(async () => {
      const opened = await open();
      broker = opened.broker;
      left = await joined(`${name}-left`, 'emma', opened.place);
      right = await joined(`${name}-right`, 'critic', opened.place);
    });
    after(async () => {
      for (const folder of [left, right]) await folder.run(['down']);
      await broker?.kill();
    });

    test('a message reaches a node that is on only for the time of a command', async () => {
      await left.json('message', 'send', 'right', 'no node stays on');
      assert.deepEqual(bodies(await readAs(right, 'right')), ['no node stays on']);
    });

    test('each sees the other, with its agents', async () => {
      for (const folder of [left, right]) await folder.json('up', '-d');
      const status = await eventually(
        () => left.json<NodeStatusAnswer>('node', 'status'),
        ({ peers }) => peers[0]?.alive === true && peers[0].agents[0]?.isOwner === true,
        'the other node',
      );
      const [peer] = status.peers;
      assert.deepEqual([status.nodeId, status.transport, status.connected], ['left', name, true]);
      assert.deepEqual([peer?.nodeId, peer?.lag, peer?.gaps, status.incidents], ['right', 0, 0, []]);
      assert.ok(peer?.agents.some((agent) => agent.name === 'critic'));
    });

    test('a message to an agent arrives once, is accepted, and its reply comes back', async () => {
      const sent = await left.json<SentMessageView>('message', 'send', 'critic', 'please look', '--from', 'emma');
      const eventId = String(sent.envelope.eventId);
      const envelope = join(scratch, `${name}.json`);
      writeFileSync(envelope, JSON.stringify(sent.envelope));
      assert.equal((await runBaton(['check', '--as', 'runtime', envelope])).status, 0);
      const receipts = await eventually(
        async () => (await left.json<SentMessageView>('message', 'sent', eventId)).receipts,
        ([receipt]) => receipt?.acceptedAt !== null,
        'the acknowledgement',
      );
      assert.deepEqual(
        [receipts[0]?.agentId, receipts[0]?.nodeId, receipts[0]?.processedAt],
        ['critic', 'right', null],
      );
      assert.deepEqual(bodies(await readAs(right, 'critic')), ['please look']);
      assert.deepEqual(await readAs(right, 'critic'), [], 'a message is new once');
      await right.json('message', 'reply', eventId, 'it is fine');
      const [reply] = await eventually(
        () => readAs(left, 'emma'),
        (mail) => mail.length > 0,
        'the reply',
      );
      assert.deepEqual([reply?.payload.body, reply?.payload.refEventId], ['it is fine', eventId]);
      await eventually(
        async () => (await left.json<SentMessageView>('message', 'sent', eventId)).receipts[0]?.processedAt,
        (processedAt) => typeof processedAt === 'string',
        'the second acknowledgement',
      );
    });

    test('all stands for every other active agent, at the time of sending', async () => {
      const sent = await left.json<SentMessageView>('message', 'send', 'all', 'to everybody', '--from', 'emma');
      assert.deepEqual((sent.envelope as { payload: { toAgents: string[] } }).payload.toAgents, ['critic']);
    });

    test('a message for nobody is refused and nothing is sent', async () => {
      const run = await left.run(['message', 'send', 'nobody', 'hello', '--json']);
      const [refusal] = linesOf<{ code: string; hint: string }>(run);
      assert.deepEqual([run.status, refusal?.code], [2, 'invalid_targets']);
      assert.match(refusal?.hint ?? '', /baton node status/);
    });

    test('a message for a node that was killed arrives when it is back, once', async () => {
      process.kill(nodePid(right), 'SIGKILL');
      await left.json('message', 'send', 'critic', 'while you were away');
      await right.json('up', '-d');
      const mail = await eventually(
        () => readAs(right, 'critic'),
        (found) => bodies(found).includes('while you were away'),
        'the message',
      );
      assert.deepEqual(bodies(mail).filter((body) => body === 'while you were away').length, 1);
      assert.deepEqual(await readAs(right, 'critic'), []);
    });

    test('nothing of a removed node arrives until it is trusted again', async () => {
      await right.json('node', 'remove', 'left');
      await left.json('message', 'send', 'critic', 'unwanted');
      await wait(1_500);
      assert.deepEqual(await readAs(right, 'critic'), []);
      await right.json('node', 'trust', 'left');
      await eventually(
        () => readAs(right, 'critic'),
        (mail) => bodies(mail).includes('unwanted'),
        'the message',
      );
    });

    test('what was sent while the broker was down and then lost everything arrives', {
      skip: name === 'local' && 'it has no server',
    }, async () => {
      await broker?.kill();
      await left.json('message', 'send', 'critic@right', 'from the ledger');
      broker?.wipe();
      await broker?.up();
      await eventually(
        () => left.json<NodeStatusAnswer>('node', 'status'),
        ({ connected }) => connected,
        'the connection',
      );
      // The new store knows nobody until each node has written its record again.
      await eventually(
        () => left.json('message', 'send', 'critic', 'after the loss').catch(() => null),
        (sent) => sent !== null,
        'the record of the other node',
      );
      const arrived: Mail[] = [];
      await eventually(
        async () => arrived.push(...(await readAs(right, 'critic')), ...(await readAs(right, 'critic@right'))),
        (count) => count >= 2,
        'the messages',
      );
      assert.deepEqual(bodies(arrived).sort(), ['after the loss', 'from the ledger']);
    });

    test('a node that leaves is not there any more', async () => {
      await right.json('node', 'leave');
      const run = await right.run(['node', 'status', '--json']);
      assert.deepEqual([run.status, linesOf<{ code: string }>(run)[0]?.code], [2, 'not_joined']);
      await eventually(
        () => left.json<NodeStatusAnswer>('node', 'status'),
        ({ peers }) => peers[0]?.alive === false,
        'its end',
      );
    });
  });
}

test('a name that another process has is refused, and so is a server that does not answer', async () => {
  const place = join(scratch, 'taken');
  const one = await joined('taken-left', 'emma', place);
  await one.json('up', '-d');
  const two = new DataFolder(join(scratch, 'taken-two'));
  const taken = await two.run(['node', 'join', place, '--node', 'left', '--json']);
  assert.deepEqual([taken.status, linesOf<{ code: string }>(taken)[0]?.code], [2, 'node_name_taken']);
  await one.run(['down']);
  const away = await two.run(['node', 'join', 'nats://127.0.0.1:1', '--node', 'two', '--json']);
  assert.deepEqual([away.status, linesOf<{ code: string }>(away)[0]?.code], [2, 'broker_unreachable']);
  assert.equal((await two.run(['node', 'status'])).status, 2, 'it has joined nothing');
});
