import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task, TaskName } from '../../src/domain/task/task.ts';
import { insertEvent } from '../../src/ledger/statements/events.ts';
import { leaseOrder } from '../../src/operations/order/lease-order.ts';
import { decodeRuntime } from '../../src/protocols/runtime/decode.ts';
import { HandGateway, type ReadEvent } from '../support/federation/hand-gateway.ts';
import { TaskFleet, type TaskNode } from '../support/remote/sim-tasks.ts';

const AT = '2026-02-25T17:54:10.000Z';

/** A node `left` that asks, a node `right` with an agent critic, and a gateway `gate` that is no Baton, with an agent emma. */
async function stage() {
  const fleet = new TaskFleet();
  const left = await fleet.add('left', []);
  const right = await fleet.add('right', ['critic']);
  const gate = new HandGateway('gate', fleet);
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 5) {
      gate.beat(['emma']);
      await fleet.pass(Math.min(5, seconds - passed) * 1_000);
    }
  };
  await pass(3);
  return { fleet, left, right, gate, pass };
}

const sentFacts = (node: TaskNode, { id }: Task) => node.factsOf(id).map(({ kind }) => kind);
const acks = (gate: HandGateway, from: string) =>
  gate.eventsOf(from, 'ack').map(({ payload }) => [payload.refEventId, payload.ackType]);
const creates = (gate: HandGateway) => gate.eventsOf('left', 'task_create');

/** A task of left that lies at the gateway. */
async function asked() {
  const world = await stage();
  const task = await world.left.order({ to: ['emma@gate'] });
  await world.pass(3);
  const [create] = creates(world.gate) as [ReadEvent];
  const { corrId } = create;
  const tell = (kind: string, payload: object) =>
    world.gate.send('left', { kind, fromAgent: 'emma', corrId, payload: payload });
  const ack = (more: object) =>
    tell('ack', { refEventId: create.eventId, refKind: 'task_create', ackedByNodeId: 'gate', ackedAt: AT, ...more });
  return { ...world, task, create, corrId, tell, ack };
}

test('an ack with the payload of a task_accept accepts the task, and stops the resends', async () => {
  const { left, gate, pass, task, tell } = await asked();
  tell('ack', { taskId: task.uid, acceptedByAgentId: 'emma', etaSeconds: 600 });
  await pass(60);
  assert.equal(left.task(task.id).status, 'in-progress');
  assert.ok(sentFacts(left, task).includes('taken'));
  assert.equal(creates(gate).length, 1);
});

test('an ack with an estimate accepts the task, as in the example of the document', async () => {
  const { left, pass, task, ack } = await asked();
  ack({ ackType: 'accepted', ackedByAgentId: 'emma', etaAt: '2026-02-25T18:00:00.000Z' });
  await pass(3);
  assert.equal(left.task(task.id).status, 'in-progress');
});

test('an ack without an estimate says that the task has arrived, and no more', async () => {
  const { left, gate, pass, task, ack } = await asked();
  ack({ ackType: 'accepted', ackedByAgentId: 'emma' });
  await pass(60);
  assert.equal(left.task(task.id).status, 'ready');
  assert.equal(creates(gate).length, 1);
});

for (const name of ['emma', 'emma@gate', 'gate', 'somebody', undefined]) {
  test(`an ack counts by its event and node, with the agent written as ${name}`, async () => {
    const { left, gate, pass, ack } = await asked();
    ack({ ackType: 'accepted', ...(name && { ackedByAgentId: name }) });
    await pass(60);
    assert.equal(creates(gate).length, 1);
    assert.deepEqual(left.rows('SELECT 1 FROM receipts WHERE accepted_at IS NULL'), []);
  });
}

test('an agent that is written with its node speaks for its task', async () => {
  const { left, pass, task, tell } = await asked();
  tell('task_accept', { taskId: task.uid, acceptedByAgentId: 'emma@gate', etaSeconds: 600 });
  tell('task_complete', { taskId: task.uid, completedByAgentId: 'emma', completedAt: AT });
  await pass(5);
  assert.equal(left.task(task.id).status, 'review');
});

test('a task that is over is not sent again, though nobody has acknowledged it', async () => {
  const { left, gate, pass, task, tell } = await asked();
  tell('task_accept', { taskId: task.uid, acceptedByAgentId: 'emma', etaSeconds: 600 });
  const ended = { failedByAgentId: 'emma', failureClass: 'execution_error', failedAt: AT };
  tell('task_failed', { taskId: task.uid, ...ended });
  await pass(120);
  assert.equal(left.task(task.id).status, 'blocked');
  assert.equal(creates(gate).length, 1);
});

test('a task that was called back is not sent again', async () => {
  const { left, gate, pass, task } = await asked();
  await left.stop(task.id);
  await pass(120);
  assert.equal(creates(gate).length, 1);
});

test('a task that was sent to another node is not sent to the first one again', async () => {
  const { fleet, left, gate } = await stage();
  gate.beat(['emma']);
  const task = await left.order({ to: ['emma@gate', 'critic'] });
  await fleet.pass(40_000);
  assert.equal(left.task(task.id).status, 'done');
  const before = creates(gate).length;
  await fleet.pass(300_000);
  assert.equal(creates(gate).length, before);
});
test('a task_failed of a task without a capability opens a review', async () => {
  const { left, pass, task, tell } = await asked();
  tell('task_accept', { taskId: task.uid, acceptedByAgentId: 'emma', etaSeconds: 600 });
  tell('task_failed', { taskId: task.uid, failedByAgentId: 'emma', failureClass: 'execution_error', failedAt: AT });
  await pass(3);
  assert.deepEqual(
    left.reviews().map(({ failureClass }) => failureClass),
    ['execution_error'],
  );
});

const TASK = { taskId: 'tsk_1', title: 'do it', toAgents: ['critic'] };

test('an event that is malformed is refused for good', async () => {
  const { gate, pass } = await stage();
  const wrong = gate.send('right', { kind: 'message', fromAgent: 'emma', payload: { body: 'to nobody' } });
  const unknown = gate.send('right', { kind: 'greeting', fromAgent: 'emma', payload: {} });
  const routeless = gate.send('right', {
    kind: 'task_create',
    fromAgent: 'emma',
    corrId: 'corr_1',
    payload: { taskId: 'tsk_1', title: 'do it', toAgents: [] },
  });
  gate.send('right', { kind: 'ack', fromAgent: 'emma', corrId: 'corr_2', payload: { refEventId: 'evt_1' } });
  await pass(3);
  assert.deepEqual(acks(gate, 'right'), [
    [wrong, 'failed_terminal'],
    [unknown, 'failed_terminal'],
    [routeless, 'failed_terminal'],
  ]);
});

test('an event for several agents of whom none is here is refused for good', async () => {
  const { gate, pass } = await stage();
  const sent = gate.send('right', { kind: 'message', fromAgent: 'emma', payload: { toAgents: ['x', 'y'], body: 'a' } });
  await pass(3);
  assert.deepEqual(acks(gate, 'right'), [[sent, 'failed_terminal']]);
});

test('an unexpanded "all" is for every agent of the node, and the log has a warning', async () => {
  const { right, gate, pass } = await stage();
  const sent = gate.send('right', { kind: 'message', fromAgent: 'emma', payload: { toAgents: ['all'], body: 'a' } });
  await pass(3);
  assert.deepEqual(acks(gate, 'right'), [[sent, 'accepted']]);
  const [delivery, another] = right.rows<{ agent: string }>('SELECT agent FROM deliveries WHERE event_id = ?', sent);
  assert.deepEqual([delivery?.agent, another], ['critic', undefined]);
  const logged = right.rows<{ payload: string }>("SELECT payload FROM events WHERE type = 'message.received'");
  assert.deepEqual(JSON.parse(logged[0]?.payload ?? '{}').warnings, ['unexpanded_all']);
});

test('a task that needs no response gets none: it is accepted, and processed when it has ended', async () => {
  const { right, gate, pass } = await stage();
  right.work.workMs = 10_000;
  const payload = { ...TASK, responseRequired: false };
  const sent = gate.send('right', { kind: 'task_create', fromAgent: 'emma', corrId: 'corr_1', payload });
  await pass(8);
  assert.deepEqual(acks(gate, 'right'), [[sent, 'accepted']]);
  await pass(9);
  assert.deepEqual(acks(gate, 'right'), [
    [sent, 'accepted'],
    [sent, 'processed'],
  ]);
  const told = gate.eventsOf('right').filter(({ kind }) => kind !== 'ack');
  assert.deepEqual(
    told.map(({ kind }) => kind),
    ['task_accept'],
  );
});

test('an estimate is never after the deadline', async () => {
  const { fleet, right, gate, pass } = await stage();
  right.work.workMs = 60_000;
  const deadlineAt = new Date(fleet.time.nowMs + 40_000).toISOString();
  gate.send('right', { kind: 'task_create', fromAgent: 'emma', corrId: 'corr_1', payload: { ...TASK, deadlineAt } });
  await pass(10);
  const [accept] = gate.eventsOf('right', 'task_accept');
  const { etaAt, etaSeconds } = (accept as ReadEvent).payload as { etaAt: string; etaSeconds: number };
  assert.ok(etaAt <= deadlineAt, `${etaAt} is after ${deadlineAt}`);
  assert.ok(etaSeconds <= 40, `${etaSeconds}`);
});

/** The fields of each kind that Baton fills in, of those that the document has. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  task_create: [
    ...['taskId', 'title', 'description', 'toAgents', 'requiredCapabilities', 'priority', 'requesterAgentId'],
    'responseRequired',
  ],
  task_accept: ['taskId', 'acceptedByAgentId', 'etaAt', 'planSummary', 'etaSeconds'],
  task_update: ['taskId', 'status', 'progress', 'note'],
  task_complete: ['taskId', 'completedByAgentId', 'resultSummary', 'completedAt'],
  task_failed: ['taskId', 'failedByAgentId', 'failureClass', 'errorSummary', 'failedAt'],
  ack: ['refEventId', 'refKind', 'ackType', 'ackedByNodeId', 'ackedByAgentId', 'ackedAt'],
};

/** The work that a node does for others is half done. */
async function tellHalf(node: TaskNode): Promise<void> {
  const [received] = node.rows<{ task_id: TaskName }>('SELECT task_id FROM received_tasks');
  const taskId = received?.task_id as TaskName;
  const payload = { percentage: 50, text: 'half of it', isBeat: false };
  await node.ledger.submit((tx) => insertEvent(tx, { type: 'run.progressed', actor: 'critic', taskId, payload }), {});
  await node.ledger.submit(leaseOrder, { taskId, agent: 'critic', alternative: null });
}

test('what a node writes is as the document has it, in its envelope and its payload', async () => {
  const { right, gate, pass } = await asked();
  right.work.workMs = 120_000;
  gate.send('right', { kind: 'task_create', fromAgent: 'emma', corrId: 'corr_1', payload: TASK });
  await pass(3);
  await tellHalf(right);
  await pass(200);
  right.work.admit = async () => ({
    ...{ kind: 'refusal', code: 'E_PERMISSION_DENIED', message: 'not here' },
    ...{ path: '', retryable: false, hint: '' },
  });
  gate.send('right', {
    kind: 'task_create',
    fromAgent: 'emma',
    corrId: 'corr_2',
    payload: { ...TASK, taskId: 'tsk_2' },
  });
  await pass(5);
  const written = ['left', 'right'].flatMap((node) => gate.eventsOf(node));
  for (const event of written) {
    assert.equal(decodeRuntime(JSON.stringify(event)).verdict, 'accepted', JSON.stringify(event));
    const { payload, ...envelope } = event;
    assert.deepEqual(Object.keys(envelope), [
      ...['eventId', 'seq', 'kind', 'sourceNodeId', 'sourceAgentId', 'toAgentId', 'corrId', 'createdAt', 'trace'],
    ]);
  }
  const first = new Map(written.toReversed().map(({ kind, payload }) => [kind, Object.keys(payload)]));
  for (const [kind, fields] of Object.entries(WRITTEN)) {
    assert.deepEqual(
      first.get(kind)?.filter((field) => !field.startsWith('x_')),
      fields,
      kind,
    );
  }
});
