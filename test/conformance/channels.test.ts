import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import type { EventView, SendAnswer } from '../../src/api/contract.ts';
import { httpClient } from '../../src/api/http/http-client.ts';
import type { NodeClient } from '../../src/api/node-client.ts';
import type { TaskView } from '../../src/api/task/task-view.ts';
import type { TaskName } from '../../src/domain/task/task.ts';
import { AGENT, NODE, ROWS, turn } from '../support/message/channel-rows.ts';
import { TestServer, TOKEN } from '../support/node/test-server.ts';
import { runBaton } from '../support/run-baton.ts';
import { RunStage, until } from '../support/run-stage.ts';
import { taken } from '../support/taken.ts';
import { noBubblewrap } from '../support/test-process.ts';

type Answer = Pick<SendAnswer, 'verdict' | 'code'> & {
  readonly events: readonly Pick<EventView, 'type' | 'payload'>[];
};
type Send = (text: string) => Promise<Answer>;

interface Tasks {
  readonly own: TaskView;
  readonly child: TaskView;
  readonly other: TaskView;
}

/** A task for the run, one below it, and one of somebody else. */
async function createTasks(client: NodeClient, agent?: string): Promise<Tasks> {
  const own = taken(await client.createTask({ title: 'Own', ...(agent && { agent }) }));
  const child = taken(await client.createTask({ title: 'Child', parent: own.id }));
  const other = taken(await client.createTask({ title: 'Other', agent: 'bob' }));
  return { own, child, other };
}

/** A server whose node has these tasks, and a run that holds its own. */
async function open() {
  const server = await TestServer.open();
  const agent = { driver: 'process', command: ['true'] };
  writeFileSync(join(server.at.folder, 'config.yaml'), JSON.stringify({ agents: { [AGENT]: agent, bob: agent } }));
  const shared = join(dirname(server.at.folder), 'shared');
  taken(await server.local.joinFederation({ transport: 'local', folder: shared, node: NODE }));
  const tasks = await createTasks(server.local, AGENT);
  const { own } = tasks;
  const { run } = taken(await server.local.claimTask({ task: own.id, agent: AGENT }));
  const holder = { taskId: own.id as TaskName, taskUid: own.uid, runId: run.id, agent: AGENT };
  return { server, holder, tasks };
}

const sendBy =
  (client: NodeClient): Send =>
  (text) =>
    client.send({ text });

/** `baton send`, with the address and the token that it is given. */
function sendByCommand(url: string, token: string): Send {
  return async (text) => {
    const run = await runBaton(['send', '-', '--json'], {
      input: text,
      environment: { BATON_URL: url, BATON_TOKEN: token },
    });
    return JSON.parse(run.stdout) as SendAnswer;
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** A process that prints each text to its node, which answers in the log of the run. */
async function openPipe(): Promise<{ readonly tasks: Tasks; readonly send: Send }> {
  const stage = await RunStage.up('channels');
  const client = stage.daemon?.client ?? assert.fail();
  const tasks = await createTasks(client);
  const folder = dirname(stage.data.path);
  // Routed last, so that it starts when all tasks are there.
  taken(await client.editTask({ task: tasks.own.id, agent: AGENT }));
  await until(() => existsSync(join(folder, 'listening')));
  const file = join(stage.data.path, 'runs', tasks.own.id, 'output.log');
  const log = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  let count = 0;
  let after = 0;
  const send: Send = async (text) => {
    const before = log().length;
    writeFileSync(join(folder, 'told'), text);
    renameSync(join(folder, 'told'), join(folder, `told-${++count}`));
    await until(() => log().slice(before).includes(`printed ${count}`));
    // The log has a line at once; the ledger has it after the message before it.
    await until(async () => {
      const newest = taken(await client.readTrace({ task: tasks.own.id, order: 'newest' }));
      return JSON.stringify(newest.entries).includes(`printed ${count}`);
    });
    const { events } = taken(await client.listEvents({ after }));
    after = events.at(-1)?.eventId ?? after;
    const told = log().slice(before);
    const [, verdict, code] = /\[not accepted: (refused|malformed), (\w+): /.exec(told) ?? [];
    const own = events.filter(
      ({ actor, type, payload }) =>
        actor === AGENT &&
        /^(protocol|task\.(logged|completed)|delegation|trace|turn)/.test(type) &&
        // Output, of which this agent prints a line after each message.
        payload.lines === undefined,
    );
    if (verdict) return { verdict: verdict as Answer['verdict'], code: code ?? null, events: own };
    return { verdict: told.includes(text) ? 'foreign' : 'accepted', code: null, events: own };
  };
  return { tasks, send };
}

interface ChannelSpec {
  readonly who: 'operator' | 'run';
  /** An agent prints all of its output there, so text that is no message is output. */
  readonly isPipe?: boolean;
  open(): Promise<{ readonly tasks: Tasks; readonly send: Send }>;
}

const throughServer = (who: ChannelSpec['who'], send: (opened: Opened) => Send): ChannelSpec => ({
  who,
  async open() {
    const opened = await open();
    return { tasks: opened.tasks, send: send(opened) };
  },
});

const CHANNELS: Readonly<Record<string, ChannelSpec>> = {
  'the operator in process': throughServer('operator', ({ server }) => sendBy(server.local)),
  'the operator over HTTP': throughServer('operator', ({ server }) => sendBy(server.client)),
  'the operator by baton send': throughServer('operator', ({ server }) => sendByCommand(server.http.url, TOKEN)),
  'a run in process': throughServer('run', ({ server, holder }) => sendBy(server.clientFor({ kind: 'run', holder }))),
  'a run by its token': throughServer('run', ({ server, holder }) =>
    sendBy(httpClient({ url: server.http.url, token: server.http.agents.admit(holder) })),
  ),
  'a run by baton send': throughServer('run', ({ server, holder }) =>
    sendByCommand(server.http.url, server.http.agents.admit(holder)),
  ),
  'a run by its output': { who: 'run', isPipe: true, open: openPipe },
};

/** Types of events, with the reason where there is one. */
function typesOf(events: readonly Pick<EventView, 'type' | 'payload'>[]): string[] {
  return events.map(({ type, payload }) => (payload.reason === undefined ? type : `${type} ${payload.reason}`));
}

describe('one message has one answer', () => {
  test('a message that cannot be decoded is an event of the run of its channel', async () => {
    const { server, holder } = await open();
    const run = server.clientFor({ kind: 'run', holder });
    await run.send({ text: 'AOF/1 {"protocol":"aof"}' });
    await run.send({ text: 'AOF/1 {"protocol":"aof","version":1,"type":"task.sing"}' });
    await server.local.send({ text: '{"what":', run: holder.runId });
    await server.local.send({ text: '{"what":', run: 'no-run' });
    const { events } = taken(await server.local.listEvents({ run: holder.runId, type: 'protocol.*' }));
    assert.deepEqual(typesOf(events), [
      'protocol.message.rejected invalid_envelope',
      'protocol.message.unknown',
      'protocol.message.rejected invalid_json',
    ]);
  });

  test('a field that is not used is a warning of the answer, in process and over HTTP', async () => {
    const { server, tasks } = await open();
    const text = turn(tasks.own.id, 'first').replace('{', '{"mood":"good",');
    for (const client of [server.local, server.client]) {
      const { verdict, warnings } = await client.send({ text });
      assert.deepEqual([verdict, warnings.map(({ path }) => path)], ['accepted', ['/mood']]);
    }
  });

  for (const [name, { who, isPipe = false, open }] of Object.entries(CHANNELS)) {
    test(name, { skip: isPipe && noBubblewrap }, async () => {
      const { tasks, send } = await open();
      const { own, child, other } = tasks;
      const fill = (text: string) =>
        text.replaceAll('OWN', own.id).replaceAll('CHILD', child.id).replaceAll('OTHER', other.id);
      for (const { what, text, events, isOutput, ...expected } of ROWS) {
        const answer = await send(fill(text));
        if (isPipe && isOutput) {
          assert.deepEqual([answer.verdict, answer.events], ['foreign', []], what);
          continue;
        }
        assert.deepEqual([answer.verdict, answer.code], expected[who], `${what}: ${JSON.stringify(answer)}`);
        if (expected.run === expected.operator || who === 'run') assert.deepEqual(typesOf(answer.events), events, what);
        if ('hint' in answer) assert.equal(answer.verdict === 'accepted', answer.hint === null, what);
      }
    });
  }
});
