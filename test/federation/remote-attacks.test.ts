import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuse } from '../../src/domain/refusal.ts';
import type { Task } from '../../src/domain/task/task.ts';
import { changeTrust } from '../../src/federation/nodes/peer-keys.ts';
import { appendEvent, type EventDraft } from '../../src/federation/outbox.ts';
import type { Command } from '../../src/ledger/commit-queue.ts';
import { TaskFleet, type TaskNode } from '../support/remote/sim-tasks.ts';

/** A task of `left` that `right` works on, and a node `mallory` that everybody knows and nobody asked. */
async function stage() {
  const fleet = new TaskFleet();
  const left = await fleet.add('left', []);
  const right = await fleet.add('right', ['critic']);
  const mallory = await fleet.add('mallory', ['eve']);
  await fleet.pass(3_000);
  right.work.workMs = 60_000;
  const task = await left.order({ to: ['critic'] });
  await fleet.until(() => right.work.begun.length === 1, 30_000);
  const corrId = left.rows<{ corr_id: string }>('SELECT corr_id FROM sent_tasks')[0]?.corr_id ?? '';
  const isOver = () => left.rows('SELECT 1 FROM orders WHERE is_open = 0').length === 1;
  /** Sends an event that no honest Baton would send, sealed with the sender's own key. */
  const send = async (
    from: TaskNode,
    to: TaskNode,
    draft: Omit<EventDraft, 'to' | 'fromAgent'> & { fromAgent?: string },
  ) => {
    await from.federation.directory.meet(to.name);
    const recipient = [{ agent: to.name, node: to.name, fence: null }];
    const command: Command<object, { eventId: string }> = (tx) =>
      appendEvent(tx, from.federation.sender, { fromAgent: 'eve', ...draft, to: recipient });
    await from.ledger.submit(command, {});
    await fleet.pass(3_000);
  };
  return { fleet, left, right, mallory, task, corrId, send, isOver };
}

const complete = ({ uid }: Task, agent: string) => ({
  taskId: uid,
  completedByAgentId: agent,
  resultSummary: 'all is well',
  completedAt: '2026-02-25T17:54:10.000Z',
  x_outcome: {
    ...{
      verdict: 'checked',
      code: null,
      message: 'every check passed',
      summary: '',
      before: [],
      after: [],
      model: null,
    },
    spend: { costUsd: 0, tokensInput: 0, tokensOutput: 0 },
  },
});

const answers = (node: TaskNode, { id }: Task) => node.factsOf(id).filter(({ kind }) => kind === 'answered');
const incidents = (node: TaskNode) => node.rows<{ kind: string }>('SELECT kind FROM incidents').map(({ kind }) => kind);

test('a task_complete of a node that was not asked changes nothing, is refused for good and opens an incident', async () => {
  const { fleet, left, mallory, task, corrId, send, isOver } = await stage();
  for (const agent of ['eve', 'critic']) {
    await send(mallory, left, { kind: 'task_complete', corrId, payload: complete(task, agent), fromAgent: agent });
  }
  assert.deepEqual([left.task(task.id).status, answers(left, task)], ['in-progress', []]);
  assert.deepEqual(incidents(left), ['refused_answer:mallory']);
  const receipts = mallory.rows<{ failed_at: number | null }>('SELECT failed_at FROM receipts');
  assert.ok(receipts.length === 2 && receipts.every(({ failed_at: failed }) => failed !== null));
  await fleet.until(isOver, 120_000);
  assert.deepEqual([left.task(task.id).status, answers(left, task).length], ['done', 1]);
});

test('nor do its task_accept, task_update and task_failed', async () => {
  const { left, right, mallory, task, corrId, send } = await stage();
  const at = '2026-02-25T17:54:10.000Z';
  const { uid: taskId } = task;
  await send(mallory, left, {
    kind: 'task_accept',
    corrId,
    payload: { taskId, acceptedByAgentId: 'eve', etaSeconds: 1 },
  });
  await send(mallory, left, { kind: 'task_update', corrId, payload: { taskId, status: 'blocked' } });
  const failure = { taskId, failedByAgentId: 'eve', failureClass: 'unknown', failedAt: at };
  await send(mallory, left, { kind: 'task_failed', corrId, payload: failure });
  await send(mallory, left, { kind: 'ack', corrId, payload: { taskId, acceptedByAgentId: 'eve', etaSeconds: 1 } });
  assert.equal(left.task(task.id).status, 'in-progress');
  assert.equal(left.factsOf(task.id).filter(({ kind }) => kind === 'taken').length, 1);
  assert.ok(right.work.finished.length === 0);
});

test('a node that was asked speaks for its own task and agent alone', async () => {
  const { left, right, task, corrId, send } = await stage();
  await send(right, left, {
    kind: 'task_complete',
    corrId: 'corr_other',
    payload: complete(task, 'critic'),
    fromAgent: 'critic',
  });
  await send(right, left, {
    kind: 'task_complete',
    corrId,
    payload: complete(task, 'somebody'),
    fromAgent: 'somebody',
  });
  assert.deepEqual(answers(left, task), []);
  assert.deepEqual(incidents(left), [], 'it was asked: a mistake, no attack');
});

test('a completion that is played again and again is applied once', async () => {
  const { fleet, left, task, isOver } = await stage();
  await fleet.until(isOver, 120_000);
  for (let times = 0; times < 5; times++) {
    for (const { frames } of fleet.store.copy().outboxes.values()) {
      for (const list of frames.values()) fleet.store.append([...list].reverse(), true);
    }
    await fleet.pass(5_000);
  }
  assert.deepEqual([left.task(task.id).status, answers(left, task).length], ['done', 1]);
});

test('only the node that sent a task calls it back', async () => {
  const { left, right, mallory, task, corrId, send } = await stage();
  const payload = { signal: 'task_recall', taskId: task.uid, reason: 'stop' };
  await send(mallory, right, { kind: 'signal', corrId, payload });
  assert.deepEqual(right.rows("SELECT state FROM received_tasks WHERE state = 'ended'"), []);
  await send(left, right, { kind: 'signal', corrId, payload });
  assert.equal(right.rows("SELECT state FROM received_tasks WHERE state = 'ended'").length, 1);
});

test('a completion in a form that Baton does not use is unchecked, whatever it says', async () => {
  const { fleet, left, right, task, corrId, send, isOver } = await stage();
  const payload = { ...complete(task, 'critic'), x_outcome: { verdict: 'checked', trust: 'me' } };
  await send(right, left, { kind: 'task_complete', corrId, payload, fromAgent: 'critic' });
  await fleet.until(isOver, 30_000);
  assert.equal(left.task(task.id).status, 'review');
});

test('reviews come from those who may open them, and are closed by the two that know of them', async () => {
  const { left, right, mallory, send } = await stage();
  const review = {
    ...{ reviewId: 'rev_1', capabilityId: 'cap.a', delegationSkillVersion: '1', executorSkillVersion: '1' },
    ...{ failureClass: 'sla_breach', sampleCorrIds: ['corr_1'], createdAt: '2026-02-25T16:00:00.000Z' },
  };
  const opened = {
    kind: 'signal',
    payload: { signal: 'capability_review', review, agent: 'critic', detail: 'late' },
  } as const;
  await send(left, right, opened);
  assert.deepEqual(right.reviews(), [], 'it publishes no such capability');
  right.ledger.db.exec(`INSERT INTO capabilities VALUES ('cap.a', '{}', '[]', NULL, '', 1)`);
  await send(left, right, opened);
  assert.equal(right.reviews().length, 1);
  await send(mallory, right, {
    kind: 'signal',
    payload: { signal: 'capability_review_closed', reviewId: 'rev_1', note: '' },
  });
  await send(mallory, right, {
    kind: 'signal',
    payload: { ...opened.payload, review: { ...review, failureClass: 'unknown' } },
  });
  const open = right.rows<{ failure_class: string }>(
    'SELECT failure_class FROM capability_reviews WHERE closed_at IS NULL',
  );
  assert.deepEqual(
    open.map((row) => row.failure_class),
    ['sla_breach'],
  );
  await send(left, right, {
    kind: 'signal',
    payload: { signal: 'capability_review_closed', reviewId: 'rev_1', note: 'ok' },
  });
  assert.deepEqual(right.rows('SELECT 1 FROM capability_reviews WHERE closed_at IS NULL'), []);
});

test('a task whose files are forged is refused whole, for good, and goes to nobody else', async () => {
  const fleet = new TaskFleet();
  const left = await fleet.add('left', []);
  const right = await fleet.add('right', ['critic']);
  await fleet.pass(3_000);
  right.work.admit = async () => refuse('parcel_refused', 'the parcel was refused: it leads out of its folder');
  const task = await left.order({ to: ['critic'] });
  await fleet.until(() => left.rows('SELECT 1 FROM orders WHERE is_open = 0').length === 1, 60_000);
  assert.equal(left.task(task.id).status, 'blocked');
  assert.deepEqual(right.work.begun, []);
  const [failed] = right.rows<{ class: string }>(
    `SELECT json_extract(envelope, '$.payload.failureClass') AS class FROM outbox WHERE kind = 'task_failed'`,
  );
  assert.equal(failed?.class, 'policy_blocked');
});

test('a node that was removed gives no tasks', async () => {
  const fleet = new TaskFleet();
  const left = await fleet.add('left', []);
  const right = await fleet.add('right', ['critic']);
  await fleet.pass(3_000);
  await right.ledger.submit(changeTrust, { nodeId: 'left', trust: 'removed' });
  const task = await left.order({ to: ['critic'] });
  await fleet.pass(60_000);
  assert.deepEqual([right.work.begun, right.rows('SELECT 1 FROM inbox')], [[], []]);
  assert.equal(left.task(task.id).status, 'ready');
});
