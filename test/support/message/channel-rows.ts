import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SendAnswer } from '../../../src/api/contract.ts';
import { completion, SENT_AT } from '../task/task-life.ts';
import { sampleTask } from './aop-samples.ts';
import { eventOf } from './runtime-samples.ts';

export const AGENT = 'prints-as-told';

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

export function aof(type: string, taskId: string, payload: object, fromAgent = AGENT): string {
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

export function turn(taskId: string, thought: string): string {
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

export function completed(call: string, duration_ms = 5): string {
  const about = { call_id: call, tool: 'grep', status: 'success', timestamp: '2026-02-26T14:00:00Z' };
  const event_id = `2f0cd1f2-6a51-4f5b-9f33-0f4f3c6f6f${call === 'c1' ? '11' : '12'}`;
  return JSON.stringify({
    event_id,
    session_id: 'S-1',
    payload: { type: 'TOOL_LIFECYCLE_COMPLETED', ...about, duration_ms },
  });
}

export const NODE = 'here';
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
    JSON.parse(readFileSync(join(import.meta.dirname, `../../corpus/afp/accepted/${file}.json`), 'utf8')),
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

export const ROWS: readonly Row[] = [
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
