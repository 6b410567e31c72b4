import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { httpClient } from '../../src/api/http/http-client.ts';
import type { NodeClient } from '../../src/api/node-client.ts';
import type { RunHolder } from '../../src/domain/task/channel.ts';
import type { TaskName } from '../../src/domain/task/task.ts';
import { aofText } from '../support/message/aof-text.ts';
import { sampleResponse, sampleTask } from '../support/message/aop-samples.ts';
import { eventOf, PAYLOADS } from '../support/message/runtime-samples.ts';
import { TestServer } from '../support/node/test-server.ts';
import { RunStage, until } from '../support/run-stage.ts';
import { taken } from '../support/taken.ts';
import { completion } from '../support/task/task-life.ts';
import { noBubblewrap } from '../support/test-process.ts';

const AGENT = 'prints-messages';
const UNKNOWN = 'TASK-2020-01-01-001';
const AFP = readFileSync(join(import.meta.dirname, '../corpus/afp/accepted/first-request.json'), 'utf8');

const REACHES = ['own', 'delegated', 'other', 'unknown'] as const;
type Reach = (typeof REACHES)[number];
/** The code of the answer; null where the message is accepted. */
type Answers = Readonly<Record<Reach, string | null>>;

/** One type of message about a task, and its answer to the run of another task or its own. */
interface Row {
  readonly what: string;
  /** `task` is the named task, `child` a child of the run's task, `parent` the run's task. */
  text(names: { readonly task: string; readonly child: string; readonly parent: string }): string;
  readonly answers: Answers;
  /** False for AOP that an agent prints: its driver reads it as its claim. */
  readonly isPrinted?: boolean;
}

const NOT_OWN = { delegated: 'unauthorized_agent', other: 'unauthorized_agent', unknown: 'task_not_found' } as const;
const ABOUT_RUN: Answers = { own: null, ...NOT_OWN };
const always = (code: string): Answers => ({ own: code, delegated: code, other: code, unknown: code });

function handoff(child: string, parent: string): string {
  const asked = { taskId: child, parentTaskId: parent, fromAgent: AGENT, toAgent: 'bob' };
  return aofText('handoff.request', child, AGENT, { ...asked, dueBy: '2026-03-01T00:00:00Z' });
}

function answered(task: string, accepted: boolean): string {
  const reason = accepted ? {} : { reason: 'no plan' };
  return aofText(accepted ? 'handoff.accepted' : 'handoff.rejected', task, AGENT, {
    taskId: task,
    accepted,
    ...reason,
  });
}

function turn(task: string): string {
  const about = { version: '1.0.0', timestamp: '2026-02-26T14:00:00Z', confidence: 0.9, estimated_complexity: 'low' };
  const content = { thought: 't', action: 'a', observation: '' };
  const metadata = { task_id: task, ...about };
  return JSON.stringify({ turn_index: 1, agent_id: 'developer', role: 'developer', content, metadata });
}

const AT = { git_hash: '9fceb02d0ae598e95dc970b74767f19372d61af8', timestamp: '2026-02-09T21:10:00.000Z' };

function transitionEvent(task: string): string {
  const payload = { type: 'TASK_TRANSITION', task_id: task, from_state: 'in-progress', to_state: 'done', ...AT };
  return JSON.stringify({ event_id: '2f0cd1f2-6a51-4f5b-9f33-0f4f3c6f6f10', session_id: 'S-1', payload });
}

function aopEvent(event: string, task: string, more: object = {}): string {
  const about = { session_id: 'S-none', task_id: task, timestamp: '2026-02-26T14:00:00Z', agent: AGENT };
  return JSON.stringify({ aop_version: '2.0.2-C', message_type: 'EVENT', event, ...about, ...more });
}

const PROGRESS = { progress: { percentage: 40, message: 'half' } };

const ROWS: readonly Row[] = [
  {
    what: 'status.update',
    text: ({ task }) => aofText('status.update', task, AGENT, { taskId: task, agentId: AGENT, progress: 'half' }),
    answers: { ...ABOUT_RUN, delegated: null },
  },
  {
    what: 'status.update to done',
    text: ({ task }) => aofText('status.update', task, AGENT, { taskId: task, agentId: AGENT, status: 'done' }),
    answers: { ...ABOUT_RUN, delegated: null },
  },
  {
    what: 'status.update in the name of another',
    text: ({ task }) => aofText('status.update', task, 'bob', { taskId: task, agentId: 'bob', status: 'done' }),
    answers: always('unauthorized_agent'),
  },
  {
    what: 'status.update in the name of the operator',
    text: ({ task }) =>
      aofText('status.update', task, 'operator', { taskId: task, agentId: 'operator', status: 'done' }),
    answers: always('unauthorized_agent'),
  },
  {
    what: 'handoff.request of the task, below the task of the run',
    text: ({ task, parent }) => handoff(task, parent),
    answers: { own: 'nested_delegation', delegated: null, other: 'unauthorized_agent', unknown: 'task_not_found' },
  },
  {
    what: 'handoff.request below the task',
    text: ({ task, child }) => handoff(child, task),
    answers: { ...always('unauthorized_agent'), own: null },
  },
  { what: 'handoff.accepted', text: ({ task }) => answered(task, true), answers: ABOUT_RUN },
  { what: 'handoff.rejected', text: ({ task }) => answered(task, false), answers: ABOUT_RUN },
  { what: 'a SAOP turn', text: ({ task }) => turn(task), answers: ABOUT_RUN },
  { what: 'a SAOP transition', text: ({ task }) => transitionEvent(task), answers: ABOUT_RUN },
  { what: 'HEARTBEAT', text: ({ task }) => aopEvent('HEARTBEAT', task), answers: ABOUT_RUN },
  { what: 'PROGRESS_UPDATE', text: ({ task }) => aopEvent('PROGRESS_UPDATE', task, PROGRESS), answers: ABOUT_RUN },
  {
    what: 'PROGRESS_UPDATE in the name of another',
    text: ({ task }) => aopEvent('PROGRESS_UPDATE', task, { ...PROGRESS, agent: 'bob' }),
    answers: { ...always('unauthorized_agent'), unknown: 'task_not_found' },
  },
  {
    what: 'PRIORITY_ESCALATION',
    text: ({ task }) => aopEvent('PRIORITY_ESCALATION', task, { new_priority: 'HIGH' }),
    answers: always('E_PERMISSION_DENIED'),
  },
  {
    what: 'TASK',
    text: ({ task }) => JSON.stringify(sampleTask({ task_id: task })),
    answers: always('E_PERMISSION_DENIED'),
    isPrinted: false,
  },
  {
    what: 'RESPONSE',
    text: ({ task }) => JSON.stringify({ ...sampleResponse(), task_id: task }),
    answers: always('not_served'),
    isPrinted: false,
  },
  { what: 'an AFP request', text: () => AFP, answers: always('not_served'), isPrinted: false },
  ...(['task_accept', 'task_update', 'task_complete', 'task_failed'] as const).map((kind) => ({
    what: `Runtime ${kind}`,
    text: ({ task }: { readonly task: string }) =>
      JSON.stringify(eventOf(kind, { ...PAYLOADS[kind].all, taskId: task })),
    answers: always('not_served'),
    isPrinted: false,
  })),
  // Last: the report of the run's own task is stored.
  {
    what: 'completion.report',
    text: ({ task }) => aofText('completion.report', task, AGENT, completion('done')),
    answers: ABOUT_RUN,
  },
];

interface Family {
  readonly names: Readonly<Record<Reach | 'child', string>>;
  readonly otherRun: string;
}

/** A task below `own` that `own` handed to bob, a child that waits, and a task that another run of the agent holds. */
async function makeFamily(client: NodeClient, own: string): Promise<Family> {
  const delegated = taken(await client.createTask({ title: 'Delegated', parent: own }));
  const child = taken(await client.createTask({ title: 'Child', parent: own }));
  const other = taken(await client.createTask({ title: 'Other' }));
  const { run } = taken(await client.claimTask({ task: other.id, agent: AGENT }));
  const names = { own, delegated: delegated.id, other: other.id, unknown: UNKNOWN, child: child.id };
  return { names, otherRun: run.id };
}

const textOf = (row: Row, reach: Reach, { names }: Family) =>
  row.text({ task: names[reach], child: names.child, parent: names.own });

/** All that a message of another run may not change. */
async function stateOf(client: NodeClient, { names, otherRun }: Family) {
  const { events } = taken(await client.listEvents({ after: 0, task: names.other }));
  const ofRun = taken(await client.listEvents({ after: 0, run: otherRun })).events;
  return { task: taken(await client.showTask({ task: names.other })), events, ofRun };
}

describe('a channel speaks for the task of its run and for what that delegated', () => {
  const clients: Readonly<Record<string, (server: TestServer, holder: RunHolder) => NodeClient>> = {
    'in process': (server, holder) => server.clientFor({ kind: 'run', holder }),
    'by its token': (server, holder) => httpClient({ url: server.http.url, token: server.http.agents.admit(holder) }),
  };
  for (const [way, clientOf] of Object.entries(clients)) {
    test(`every message type, ${way}`, async () => {
      const server = await TestServer.open();
      const own = taken(await server.local.createTask({ title: 'Own', agent: AGENT }));
      const { run } = taken(await server.local.claimTask({ task: own.id, agent: AGENT }));
      const holder = { taskId: own.id as TaskName, taskUid: own.uid, runId: run.id, agent: AGENT };
      const family = await makeFamily(server.local, own.id);
      taken(await server.local.beatTask({ task: own.id, agent: AGENT }));
      await server.local.send({ text: handoff(family.names.delegated, own.id) });
      const before = await stateOf(server.local, family);
      const client = clientOf(server, holder);
      for (const row of ROWS) {
        for (const reach of REACHES) {
          const answer = await client.send({ text: textOf(row, reach, family) });
          const what = `${row.what}, ${reach}: ${JSON.stringify(answer)}`;
          assert.equal(answer.code, row.answers[reach], what);
          assert.equal(answer.verdict, row.answers[reach] === null ? 'accepted' : 'refused', what);
          for (const { runId } of answer.events) assert.equal(runId, run.id, what);
        }
      }
      assert.deepEqual(await stateOf(server.local, family), before);
      const delegated = taken(await server.local.showTask({ task: family.names.delegated }));
      assert.deepEqual([delegated.status, delegated.agent], ['backlog', 'bob']);
    });
  }

  test('every message type, by its output', { skip: noBubblewrap }, async () => {
    const stage = await RunStage.up('reach');
    const client = stage.daemon?.client ?? assert.fail();
    const own = taken(await client.createTask({ title: 'Own' }));
    const family = await makeFamily(client, own.id);
    const printed = ROWS.filter(({ isPrinted = true }) => isPrinted).flatMap((row) =>
      REACHES.map((reach) => ({ text: textOf(row, reach, family), code: row.answers[reach] })),
    );
    const texts = [handoff(family.names.delegated, own.id), ...printed.map(({ text }) => text)];
    const before = await stateOf(client, family);
    // Routed last, so that it starts when all tasks are there.
    taken(await client.editTask({ task: own.id, body: JSON.stringify(texts), agent: AGENT }));
    await until(async () => (await stage.task(own.id)).status === 'review');
    assert.deepEqual(await stateOf(client, family), before);
    const log = readFileSync(join(stage.data.path, 'runs', own.id, 'output.log'), 'utf8');
    assert.equal(log.match(/\[not accepted: /g)?.length, printed.filter(({ code }) => code !== null).length, log);
  });
});
