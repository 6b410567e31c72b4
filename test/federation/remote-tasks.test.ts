import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewRemote } from '../../src/calls/task/remote-views.ts';
import type { Task } from '../../src/domain/task/task.ts';
import { RECORD_SCHEMAS } from '../../src/protocols/runtime/schema/records.ts';
import { fleetOf } from '../support/remote/fleet-of.ts';
import type { TaskFleet, TaskNode } from '../support/remote/sim-tasks.ts';

/** How another node's part in a task ended, as it is told at a node. */
const endAt = (node: TaskNode, { id }: Pick<Task, 'id'>) => viewRemote(node.ledger.read, { id })?.ended;

type Stage = Awaited<ReturnType<typeof fleetOf>>;

/** How often the task began, was finished and was applied at its sender. */
function countsOf({ fleet, left }: Stage, { uid, id }: Task) {
  const all = [...fleet.nodes.values()].map(({ work }) => work);
  const count = (of: (work: (typeof all)[number]) => readonly string[]) =>
    all.reduce((sum, work) => sum + of(work).filter((each) => each === uid).length, 0);
  const applied = left.factsOf(id).filter(({ kind }) => kind === 'answered').length;
  return { begun: count(({ begun }) => begun), finished: count(({ finished }) => finished), applied };
}

const kinds = (node: TaskNode, task: Task) => node.factsOf(task.id).map(({ kind }) => kind);

test('of several recipients the first to accept does it, and nobody else begins', async () => {
  const stage = await fleetOf({ right: ['critic'], middle: ['writer'], far: ['editor'] });
  const { fleet, left, isOver } = stage;
  const task = await left.order({ to: ['critic', 'writer', 'editor'] });
  await fleet.until(() => left.task(task.id).status === 'in-progress', 60_000);
  assert.equal(endAt(left, task), null);
  await fleet.until(() => isOver(task), 60_000);
  assert.equal(endAt(left, task), 'done');
  assert.equal(left.task(task.id).status, 'done');
  assert.deepEqual(countsOf(stage, task), { begun: 1, finished: 1, applied: 1 });
  await fleet.pass(60_000);
  const open = [...fleet.nodes.values()].flatMap((node) =>
    node.rows("SELECT 1 FROM received_tasks WHERE state <> 'ended'"),
  );
  assert.deepEqual(open, [], 'the others have let it go');
});

test('one of several that refuses leaves it to the others; when all do it fails', async () => {
  const { fleet, left, node, isOver } = await fleetOf({ right: ['critic'], middle: ['writer'] });
  node('right').work.admit = async () => ({ ...refusal('E_PERMISSION_DENIED') });
  const task = await left.order({ to: ['critic', 'writer'] });
  await fleet.until(() => isOver(task), 60_000);
  assert.equal(left.task(task.id).status, 'done');
  node('middle').work.admit = async () => ({ ...refusal('E_PERMISSION_DENIED') });
  const second = await left.order({ to: ['critic', 'writer'] });
  await fleet.until(() => isOver(second), 60_000);
  assert.equal(left.task(second.id).status, 'blocked');
});

function refusal(code: 'E_PERMISSION_DENIED' | 'capability_unavailable') {
  return { kind: 'refusal', code, message: 'not here', path: '', retryable: false, hint: '' } as const;
}

test('a receiver that dies is replaced by a standby owner of the agent, and one result is applied', async () => {
  const stage = await fleetOf({ right: ['critic'], spare: ['critic'] });
  const { fleet, left, node, isOver } = stage;
  node('right').work.workMs = 10_000_000;
  const task = await left.order({ to: ['critic'] });
  await fleet.until(() => node('right').work.begun.length === 1, 30_000);
  node('right').kill();
  await fleet.until(() => isOver(task), 400_000);
  assert.equal(left.task(task.id).status, 'done');
  assert.deepEqual(node('spare').work.finished, [task.uid]);
  assert.deepEqual(
    kinds(left, task).filter((kind) => kind !== 'overdue'),
    [
      ...['ordered', 'sent', 'taken', 'strayed', 'sent', 'taken', 'answered'],
      ...['snapshotted', 'ended', 'collected', 'verified', 'brought', 'settled', 'reported'],
    ],
  );
  const attempts = left.rows<{ attempt: number }>("SELECT attempt FROM outbox WHERE kind = 'task_create' ORDER BY seq");
  assert.deepEqual(
    attempts.map(({ attempt }) => attempt),
    attempts.map((_, at) => at + 1),
    'each is one attempt higher',
  );
  // The first one comes back: it knows that the agent is not its own any more.
  await node('right').restart();
  await fleet.pass(120_000);
  assert.deepEqual(node('right').work.begun, [], 'it begins nothing');
  assert.equal(countsOf(stage, task).applied, 1);
  assert.deepEqual(node('right').rows("SELECT 1 FROM received_tasks WHERE state <> 'ended'"), []);
});

test('a receiver that was cut off and finishes later changes nothing: its task is done elsewhere', async () => {
  const stage = await fleetOf({ right: ['critic'], spare: ['critic'] });
  const { fleet, left, node, isOver } = stage;
  node('right').work.workMs = 200_000;
  const task = await left.order({ to: ['critic'] });
  await fleet.until(() => node('right').work.begun.length === 1, 30_000);
  fleet.store.cut('right');
  await fleet.until(() => isOver(task), 400_000);
  await fleet.pass(120_000);
  fleet.store.heal('right');
  await fleet.pass(120_000);
  assert.equal(left.task(task.id).status, 'done');
  assert.equal(countsOf(stage, task).applied, 1);
  assert.deepEqual(
    left.rows("SELECT kind FROM incidents WHERE kind LIKE 'refused%'"),
    [],
    'it was asked once: no attack',
  );
});

test('where nobody else can do it, the task waits for its node', async () => {
  const { fleet, left, node, isOver } = await fleetOf({ right: ['critic'] });
  node('right').work.workMs = 20_000;
  const task = await left.order({ to: ['critic@right'] });
  await fleet.until(() => node('right').work.begun.length === 1, 30_000);
  node('right').kill();
  await fleet.pass(300_000);
  assert.equal(left.task(task.id).status, 'in-progress');
  await node('right').restart();
  await fleet.until(() => isOver(task), 120_000);
  assert.equal(left.task(task.id).status, 'done');
});

test('a node that refuses before it begins is not asked again where another can do it', async () => {
  const { fleet, left, node, isOver } = await fleetOf({ right: ['critic'], middle: ['writer'] });
  await publish(fleet, ['critic', 'writer']);
  node('right').work.admit = async () => ({ ...refusal('capability_unavailable') });
  const task = await left.order({ needs: ['cap.a'] });
  await fleet.until(() => isOver(task), 60_000);
  assert.equal(left.task(task.id).status, 'done');
  assert.deepEqual(node('middle').work.finished, [task.uid]);
  node('middle').work.admit = async () => ({ ...refusal('capability_unavailable') });
  const second = await left.order({ needs: ['cap.a'] });
  await fleet.until(() => isOver(second), 60_000);
  assert.equal(left.task(second.id).status, 'blocked');
});

/** Writes a capability into the control plane, as its owner does. */
async function publish({ store }: TaskFleet, agents: readonly string[], more: object = {}): Promise<void> {
  const skill = { name: 'skill', version: '1.0.0' };
  const catalog = {
    ...{
      capabilityId: 'cap.a',
      name: 'A',
      version: '1.0.0',
      status: 'active',
      ownerAgentId: agents[0],
      ownerNodeId: 'right',
    },
    ...{ delegationSkillRef: skill, executorSkillRef: skill, contractSchemaRef: 'schema://sim/cap.a/1.0.0' },
    ...{ defaultEtaSeconds: 60, publishedAt: '2026-02-25T16:00:00.000Z', publishedByAgentId: agents[0] },
    ...more,
  };
  const index = {
    capabilityId: 'cap.a',
    eligibleAgentIds: agents,
    policyVersion: 'cpv_1',
    updatedAt: catalog.publishedAt,
  };
  store.put('capabilities.catalog.cap.a', JSON.stringify(catalog), 0);
  store.put('capabilities.index.cap.a', JSON.stringify(index), 0);
}

test('a task that misses its estimate and the grace is a review, once, and its agent gets work last', async () => {
  const { fleet, left, node, isOver } = await fleetOf({ right: ['critic'], middle: ['writer'] });
  await publish(fleet, ['critic', 'writer']);
  node('right').work.workMs = 400_000;
  const task = await left.order({ needs: ['cap.a'] });
  await fleet.pass(60_000 + 110_000);
  assert.deepEqual(left.reviews(), [], 'not before the grace is over');
  await fleet.pass(20_000);
  const [review, another] = left.reviews();
  const corr = left.rows<{ corr_id: string }>('SELECT corr_id FROM sent_tasks')[0]?.corr_id;
  assert.deepEqual([review?.failureClass, review?.sampleCorrIds, another], ['sla_breach', [corr], undefined]);
  assert.ok(RECORD_SCHEMAS.review.safeParse(review).success);
  const [entry] = fleet.store.list('reviews.cap.a.by.critic.');
  assert.deepEqual(JSON.parse(entry?.value ?? 'null'), review, 'the control plane has it as the document does');
  await fleet.until(() => isOver(task), 400_000);
  assert.equal(left.reviews().length, 1);
  const second = await left.order({ needs: ['cap.a'] });
  await fleet.until(() => isOver(second), 100_000);
  assert.deepEqual(node('middle').work.finished, [second.uid], 'critic comes first by name, and has an open review');
});

test('records of reviews come back after the store was lost, and closed ones go', async () => {
  const { fleet, left, node, isOver } = await fleetOf({ right: ['critic'] });
  await publish(fleet, ['critic']);
  node('right').work.verdict = 'failed';
  const task = await left.order({ needs: ['cap.a'] });
  await fleet.until(() => isOver(task), 60_000);
  await fleet.pass(2_000);
  assert.equal(fleet.store.list('reviews.').length, 1);
  fleet.store.wipe();
  await fleet.pass(60_000);
  assert.equal(fleet.store.list('reviews.').length, 1);
  left.ledger.db.exec("UPDATE capability_reviews SET closed_at = 1, closed_by = 'x'");
  await fleet.pass(3_000);
  assert.equal(fleet.store.list('reviews.').length, 0);
});

test('a task for a node that never answers is given up after fifteen attempts', async () => {
  const { fleet, left, node, isOver } = await fleetOf({ right: ['critic'] });
  fleet.store.cut('right');
  // Its record stays fresh: the node seems to live, and reads nothing.
  const task = await left.order({ to: ['critic@right'] });
  const keepAlive = () => {
    const entry = fleet.store.get('nodes.right');
    if (entry) fleet.store.put('nodes.right', entry.value, entry.revision);
  };
  for (let minutes = 0; minutes < 70 && !isOver(task); minutes++) {
    keepAlive();
    await fleet.pass(60_000);
  }
  assert.equal(left.task(task.id).status, 'deadletter');
  assert.equal(node('right').rows('SELECT 1 FROM inbox').length, 0);
});

test('a deadline ends a task that nobody has accepted, and one that runs', async () => {
  const { fleet, left, node, isOver } = await fleetOf({ right: ['critic'] });
  node('right').work.workMs = 1_000_000;
  const running = await left.order({ to: ['critic'], deadlineAt: fleet.time.nowMs + 30_000 });
  await fleet.until(() => isOver(running), 120_000);
  assert.equal(left.task(running.id).status, 'blocked');
  await fleet.pass(5_000);
  assert.deepEqual(node('right').rows("SELECT 1 FROM received_tasks WHERE state <> 'ended'"), []);
  fleet.store.cut('right');
  const lost = await left.order({ to: ['critic@right'], deadlineAt: fleet.time.nowMs + 20_000 });
  await fleet.until(() => isOver(lost), 120_000);
  fleet.store.heal('right');
  await fleet.pass(60_000);
  assert.ok(!node('right').work.begun.includes(lost.uid), 'it has expired');
});

test('clocks that are a day apart make nobody late', async () => {
  for (const skewMs of [86_400_000, -86_400_000]) {
    const { fleet, left, node, isOver } = await fleetOf({ right: ['critic'] });
    await publish(fleet, ['critic']);
    node('right').skewMs = skewMs;
    const task = await left.order({ needs: ['cap.a'], deadlineAt: fleet.time.nowMs + 600_000 });
    await fleet.until(() => isOver(task), 60_000);
    assert.deepEqual([left.task(task.id).status, left.reviews()], ['done', []], `${skewMs}`);
  }
});

test('a stop reaches a task that is accepted, and one that still lies in the inbox', async () => {
  const { fleet, left, node, isOver } = await fleetOf({ right: ['critic'] });
  node('right').work.workMs = 1_000_000;
  const task = await left.order({ to: ['critic'] });
  await fleet.until(() => node('right').work.begun.length === 1, 30_000);
  await left.stop(task.id);
  await fleet.until(() => isOver(task), 20_000);
  const settled = left.factsOf(task.id).find(({ kind }) => kind === 'settled') as
    | { outcome?: { verdict: string } }
    | undefined;
  assert.equal(settled?.outcome?.verdict, 'aborted');
  assert.equal(endAt(left, task), 'stopped');
  fleet.store.cut('right');
  const away = await left.order({ to: ['critic@right'] });
  await fleet.pass(2_000);
  await left.stop(away.id);
  await fleet.until(() => isOver(away), 60_000);
  fleet.store.heal('right');
  await fleet.pass(60_000);
  assert.ok(!node('right').work.begun.includes(away.uid), 'the recall came with it');
});
