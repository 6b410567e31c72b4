import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import type { EventView, SendAnswer } from '../../src/api/contract.ts';
import { httpClient } from '../../src/api/http/http-client.ts';
import type { NodeClient } from '../../src/api/node-client.ts';
import type { TaskView } from '../../src/api/task-view.ts';
import type { TaskName } from '../../src/domain/task.ts';
import { sampleTask } from '../support/aop-samples.ts';
import { runBaton } from '../support/run-baton.ts';
import { RunStage, until } from '../support/run-stage.ts';
import { eventOf } from '../support/runtime-samples.ts';
import { taken } from '../support/taken.ts';
import { completion, SENT_AT } from '../support/task-life.ts';
import { noBubblewrap } from '../support/test-process.ts';
import { TestServer, TOKEN } from '../support/test-server.ts';

const AGENT = 'prints-as-told';

type Verdict = readonly [SendAnswer['verdict'], string | null];

/** One message, and its answer to each kind of sender; the way it comes makes no difference. */
interface Row {
  readonly what: string;
  /** OWN, CHILD and OTHER stand for tasks. */
  readonly text: string;
  readonly operator: Verdict;
  readonly run: Verdict;
  /** The types and reasons of its events, where it is sent by a run. */
  readonly events: readonly string[];
  /** Output, and no message, if an agent prints it; the row or its ruling (aof:detection) says why. */
  readonly isOutput: boolean;
}

const ACCEPTED: Verdict = ['accepted', null];
const NOBODY: Verdict = ['refused', 'unauthorized_agent'];
const REJECTED = 'protocol.message.rejected unauthorized_agent';

function aof(type: string, taskId: string, payload: object, fromAgent = AGENT): string {
  const route = { taskId, fromAgent, toAgent: 'dispatcher', sentAt: SENT_AT };
  return `AOF/1 ${JSON.stringify({ protocol: 'aof', version: 1, type, ...route, payload })}`;
}

function update(taskId: string, fromAgent = AGENT): string {
  return aof('status.update', taskId, { taskId, agentId: fromAgent, progress: 'half' }, fromAgent);
}

function aop(event: string, more: object = {}): string {
  const about = { session_id: 'S-none', task_id: 'T-none', timestamp: '2026-02-26T14:00:00Z', agent: AGENT };
  return JSON.stringify({ aop_version: '2.0.2-C', message_type: 'EVENT', event, ...about, ...more });
}

function turn(taskId: string, thought: string): string {
  const metadata = {
    version: '1.0.0',
    task_id: taskId,
    timestamp: '2026-02-26T14:00:00Z',
    confidence: 0.9,
    estimated_complexity: 'low',
  };
  const content = { thought, action: 'none', observation: '' };
  return JSON.stringify({ turn_index: 7, agent_id: 'developer', role: 'developer', content, metadata });
}

const HANDOFF = {
  taskId: 'CHILD',
  parentTaskId: 'OWN',
  fromAgent: AGENT,
  toAgent: 'bob',
  acceptanceCriteria: ['it holds'],
  expectedOutputs: [],
  contextRefs: [],
  constraints: [],
  dueBy: '2026-03-01T00:00:00Z',
};
const SAOP_EVENT = JSON.stringify({
  event_id: '2f0cd1f2-6a51-4f5b-9f33-0f4f3c6f6f10',
  session_id: 'S-1',
  payload: {
    type: 'TOOL_LIFECYCLE_INVOKED',
    call_id: 'c1',
    tool: 'grep',
    arguments: {},
    timestamp: '2026-02-26T14:00:00Z',
  },
});

function completed(call: string, duration_ms = 5): string {
  const about = { call_id: call, tool: 'grep', status: 'success', timestamp: '2026-02-26T14:00:00Z' };
  const event_id = `2f0cd1f2-6a51-4f5b-9f33-0f4f3c6f6f${call === 'c1' ? '11' : '12'}`;
  return JSON.stringify({
    event_id,
    session_id: 'S-1',
    payload: { type: 'TOOL_LIFECYCLE_COMPLETED', ...about, duration_ms },
  });
}

const NODE = 'here';
const NOT_SERVED: Verdict = ['refused', 'not_served'];

/** An event of Runtime; `at` makes its id. */
function runtime(at: number, event: Partial<Record<string, unknown>>): string {
  const { expiresAt: _, ...sample } = eventOf('message', { toAgents: [NODE], body: `number ${at}` });
  // Ids that do not look like secrets, which the log of a run would mask.
  const own = { eventId: `evt_${at}`, corrId: `corr_${at}`, sourceNodeId: NODE, sourceAgentId: AGENT };
  return JSON.stringify({ ...sample, ...own, ...event });
}

function afp(file: string): string {
  return JSON.stringify(
    JSON.parse(readFileSync(join(import.meta.dirname, `../corpus/afp/accepted/${file}.json`), 'utf8')),
  );
}

const received = (...more: string[]) => ['protocol.message.received', ...more];
const row = (what: string, text: string, given: Partial<Row>): Row => ({
  what,
  text,
  operator: ACCEPTED,
  run: given.operator ?? ACCEPTED,
  events: [],
  isOutput: false,
  ...given,
});

const ROWS: readonly Row[] = [
  row('a tool event', SAOP_EVENT, {
    operator: ['refused', 'task_not_found'],
    run: ACCEPTED,
    events: ['trace.event_recorded'],
  }),
  row('progress on its own task', update('OWN'), { events: received('task.logged') }),
  row('progress without the prefix', update('OWN').replace('AOF/1 ', ''), { events: received('task.logged') }),
  row('an unknown type without the prefix', JSON.stringify({ protocol: 'aof', version: 1, type: 'task.finished' }), {
    operator: ['malformed', 'unknown_type'],
    events: ['protocol.message.unknown'],
  }),
  row('progress in the name of another without the prefix', update('OWN', 'bob').replace('AOF/1 ', ''), {
    operator: NOBODY,
    events: [REJECTED],
  }),
  row('progress on the task of another', update('OTHER'), { operator: NOBODY, events: [REJECTED] }),
  row('progress in the name of the operator', update('OWN', 'operator'), { run: NOBODY, events: [REJECTED] }),
  row('a handoff of a task below its own', aof('handoff.request', 'CHILD', HANDOFF), {
    events: received('delegation.requested'),
  }),
  row('the same handoff again', aof('handoff.request', 'CHILD', HANDOFF), { events: received() }),
  row('a message that cannot be decoded', 'AOF/1 {"protocol":"aof"}', {
    operator: ['malformed', 'invalid_envelope'],
    events: ['protocol.message.rejected invalid_envelope'],
  }),
  row('a turn', turn('OWN', 'first'), { events: ['turn.recorded', 'trace.event_recorded'] }),
  row('the same turn again', turn('OWN', 'first'), {}),
  row('another turn with its index', turn('OWN', 'second'), { operator: ['refused', 'turn_index_taken'] }),
  row('a turn that is surer than sure', turn('OWN', 'first').replace('0.9', '1.01'), {
    operator: ['malformed', 'invalid_turn'],
  }),
  row('the end of a call that nobody made', completed('none'), {
    operator: ['refused', 'task_not_found'],
    run: ['refused', 'call_not_open'],
  }),
  row('a call of less than no time', completed('c1', -1), { operator: ['malformed', 'invalid_event'] }),
  row('another event with an id that is taken', SAOP_EVENT.replace('"grep"', '"sed"').replace('"c1"', '"c2"'), {
    operator: ['refused', 'task_not_found'],
    run: ['refused', 'event_id_taken'],
  }),
  row('the end of its call', completed('c1'), {
    operator: ['refused', 'task_not_found'],
    run: ACCEPTED,
    events: ['trace.event_recorded'],
  }),
  row('a turn of an unknown task', turn('TASK-2020-01-01-001', 'x'), { operator: ['refused', 'task_not_found'] }),
  row('a turn of the task of another', turn('OTHER', 'x'), { run: NOBODY }),
  row('a beat for an unknown order', aop('HEARTBEAT'), { operator: ['refused', 'task_not_found'] }),
  row('an escalation', aop('PRIORITY_ESCALATION', { new_priority: 'HIGH' }), {
    operator: ['refused', 'task_not_found'],
    run: ['refused', 'E_PERMISSION_DENIED'],
  }),
  row('an event of AOP without its time', aop('HEARTBEAT', { timestamp: null }), {
    operator: ['malformed', 'E_SCHEMA_VALIDATION'],
  }),
  row('a turn without its role', turn('OWN', 'third').replace('"role":"developer",', ''), {
    operator: ['malformed', 'invalid_turn'],
  }),
  // An agent that prints the TASK it was given is no sender of an order (aop:agent-output).
  row('a TASK', JSON.stringify(sampleTask()), {
    operator: ['refused', 'E_AGENT_NOT_FOUND'],
    run: ['refused', 'E_PERMISSION_DENIED'],
    isOutput: true,
  }),
  // Of an agent's output, neither AFP nor Runtime is a message (aop:agent-output).
  ...[
    row('a Runtime message', runtime(1, {}), { events: ['message.sent'] }),
    row('the same Runtime message again', runtime(1, {}), { events: ['message.sent'] }),
    row('a Runtime message of another agent', runtime(2, { sourceAgentId: 'bob' }), { run: NOBODY }),
    row('a Runtime message of another node', runtime(3, { sourceNodeId: 'elsewhere' }), { operator: NOBODY }),
    row('a Runtime message to nobody', runtime(4, { payload: { toAgents: ['carl'], body: 'x' } }), {
      operator: ['refused', 'invalid_targets'],
    }),
    row('a Runtime reply', runtime(5, { kind: 'reply', payload: { refEventId: 'evt_none', body: 'x' } }), {
      operator: ['refused', 'message_not_found'],
    }),
    row('a Runtime task_update', runtime(7, { kind: 'task_update', payload: { taskId: 'tsk_1', status: 'blocked' } }), {
      operator: NOT_SERVED,
    }),
    row('a Runtime message without its body', runtime(6, { payload: { toAgents: [NODE] } }), {
      operator: ['malformed', 'invalid_payload'],
    }),
    row('an AFP request', afp('first-request'), { operator: NOT_SERVED }),
    row('an AFP request without its version', afp('first-request').replace('"1.2"', '"9"'), {
      operator: ['malformed', 'INVALID_REQUEST'],
    }),
  ].map((each) => ({ ...each, isOutput: true })),
  row('text of no protocol', '{"what":"ever"}', { operator: ['foreign', null] }),
  row('broken JSON', '{"what":', {
    operator: ['malformed', 'invalid_json'],
    events: ['protocol.message.rejected invalid_json'],
    isOutput: true,
  }),
  row('a report without its summary file', aof('completion.report', 'OWN', completion('done')), {
    events: received('task.completed', 'protocol.message.warning summary_file_not_found'),
  }),
];

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
