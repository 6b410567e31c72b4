import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TASK_BODY_CHARACTERS_MAX, TASK_TITLE_CHARACTERS_MAX } from '../../src/domain/limits.ts';
import type { TaskName } from '../../src/domain/task/task.ts';
import { TASK_STATUSES, type TaskStatus } from '../../src/domain/task/task-lifecycle.ts';
import { claimTask } from '../../src/operations/task/claim-task.ts';
import { createTask } from '../../src/operations/task/create-task.ts';
import { dependTask } from '../../src/operations/task/depend-task.ts';
import { editTask } from '../../src/operations/task/edit-task.ts';
import { moveTask, retryTask } from '../../src/operations/task/move-task.ts';
import { checkLedger } from '../support/ledger/check-ledger.ts';
import { NEW_TASK, TaskLife } from '../support/task/task-life.ts';

const life = await TaskLife.open();
const NOWHERE = 'TASK-2020-01-01-001' as TaskName;

function claimBy(agent: string, taskId: TaskName) {
  return { taskId, agent, process: null };
}

test('a new task lies in backlog; a claim takes it through ready', async () => {
  const id = await life.create();
  const { events, run } = await life.do(claimTask, claimBy('ann', id));
  assert.deepEqual(
    events.map(({ type }) => type),
    ['task.transitioned', 'task.transitioned', 'task.claimed'],
  );
  assert.deepEqual([run.fence, run.agent, run.leaseExpiresAt], [1, 'ann', life.at.clock.now().wallMs + 600_000]);
});

test('what a new task may not be is refused with the field', async () => {
  const wrong = [
    [{ title: ' ' }, 'invalid_argument', '/title'],
    [{ title: 'two\nlines' }, 'invalid_argument', '/title'],
    [{ title: 'a\0b' }, 'invalid_argument', '/title'],
    [{ tags: ['a\0b'] }, 'invalid_argument', '/tags'],
    [{ resource: 'a\0b' }, 'invalid_argument', '/resource'],
    [{ title: 'x'.repeat(TASK_TITLE_CHARACTERS_MAX + 1) }, 'invalid_argument', '/title'],
    [{ body: 'x'.repeat(TASK_BODY_CHARACTERS_MAX + 1) }, 'invalid_argument', '/body'],
    [{ agent: 'dispatcher' }, 'invalid_argument', '/agent'],
    [{ parentId: NOWHERE }, 'parent_not_found', '/parent'],
    [{ dependsOn: [NOWHERE] }, 'task_not_found', '/dependsOn'],
  ] as const;
  for (const [facts, code, path] of wrong) {
    const answer = await life.ask(createTask, { ...NEW_TASK, ...facts });
    assert.deepEqual('code' in answer && [answer.code, answer.path], [code, path]);
  }
});

test('every command about a task that does not exist says so', async () => {
  const by = { taskId: NOWHERE, actor: 'operator' };
  assert.equal(await life.refused(claimTask, claimBy('ann', NOWHERE)), 'task_not_found');
  assert.equal(await life.refused(moveTask, { ...by, to: 'ready', reason: null }), 'task_not_found');
  assert.equal(await life.refused(retryTask, by), 'task_not_found');
  assert.equal(await life.refused(dependTask, { ...by, on: [] }), 'task_not_found');
  assert.equal(await life.refused(editTask, { ...by, reason: null, change: {} }), 'task_not_found');
});

test('of many claims at once one wins, and the others are told', async () => {
  const id = await life.create();
  const agents = Array.from({ length: 20 }, (_, at) => `agent-${at}`);
  const answers = await Promise.all(agents.map((agent) => life.ask(claimTask, claimBy(agent, id))));
  const codes = answers.map((answer) => ('code' in answer ? answer.code : 'won')).toSorted();
  assert.deepEqual(codes, [...Array(19).fill('already_claimed'), 'won']);
  assert.equal(life.runs(id).length, 1);
});

test('a name that no agent may have claims nothing', async () => {
  const id = await life.create();
  for (const agent of ['all', 'dispatcher', 'filesystem', 'a b', '']) {
    assert.equal(await life.refused(claimTask, claimBy(agent, id)), 'invalid_argument');
  }
});

test('a fence only goes up, whatever ends the runs before', async () => {
  const id = await life.create();
  for (let fence = 1; fence <= 4; fence++) {
    assert.equal((await life.claim(id)).fence, fence);
    if (fence % 2 === 0) await life.move(id, 'ready');
    else await life.end(id);
  }
});

test('a dependency opens when what it waits for is done, not before', async () => {
  const first = await life.create();
  const second = await life.create();
  const id = await life.create({ dependsOn: [first, second, first] });
  assert.equal(life.openDependencies(id), 2);
  assert.equal(await life.refused(claimTask, claimBy('ann', id)), 'dependencies_open');
  for (const needed of [first, second]) {
    for (const to of ['blocked', 'review', 'done'] as const) await life.move(needed, to);
  }
  assert.equal(life.openDependencies(id), 0);
  assert.equal((await life.claim(id)).fence, 1);
});

test('a dependency that is added later counts, once; a circle is refused', async () => {
  const [a, b, c] = [await life.create(), await life.create(), await life.create()];
  const depend = (taskId: TaskName, ...on: TaskName[]) => ({ taskId, on, actor: 'operator' });
  await life.do(dependTask, depend(b, a, a));
  await life.do(dependTask, depend(b, a));
  await life.do(dependTask, depend(c, b));
  assert.deepEqual([life.openDependencies(b), life.task(b).dependsOn], [1, [a]]);
  assert.equal(await life.refused(dependTask, depend(a, c)), 'dependency_cycle');
  assert.equal(await life.refused(dependTask, depend(a, a)), 'dependency_cycle');
  assert.equal(await life.refused(dependTask, depend(a, NOWHERE)), 'task_not_found');
  const done = await life.inStatus('done');
  await life.do(dependTask, depend(a, done));
  assert.equal(life.openDependencies(a), 0);
});

test('what waits for a cancelled task is blocked with the reason; what runs is left alone', async () => {
  const needed = await life.create();
  const waiting = await life.create({ dependsOn: [needed] });
  const running = await life.claimed();
  await life.do(dependTask, { taskId: running.id, on: [needed], actor: 'operator' });
  const { events } = await life.do(moveTask, { taskId: needed, to: 'cancelled', actor: 'operator', reason: null });
  assert.deepEqual(
    events.map(({ taskId }) => taskId),
    [needed, waiting],
  );
  assert.match(String(events[1]?.payload.reason), /was cancelled/);
  assert.deepEqual([life.status(waiting), life.status(running.id)], ['blocked', 'in-progress']);
});

test('no two running tasks hold one resource, however they are started', async () => {
  const { id: holder } = await life.claimed({ resource: 'gpu' });
  const id = await life.inStatus('ready', { resource: 'gpu' });
  assert.equal(await life.refused(claimTask, claimBy('ann', id)), 'resource_busy');
  const byHand = { taskId: id, to: 'in-progress', actor: 'operator', reason: null } as const;
  assert.equal(await life.refused(moveTask, byHand), 'resource_busy');
  await life.end(holder);
  assert.equal((await life.claim(id)).fence, 1);
});

for (const from of TASK_STATUSES) {
  test(`a person moves a task that is ${from} where the table allows it`, async () => {
    const { TASK_TRANSITIONS } = await import('../../src/domain/task/task-lifecycle.ts');
    for (const to of TASK_STATUSES) {
      const id = await life.inStatus(from);
      const answer = await life.ask(moveTask, { taskId: id, to, actor: 'operator', reason: 'so' });
      const isLegal = to === from || TASK_TRANSITIONS[from].includes(to);
      assert.equal('code' in answer ? answer.code : life.status(id), isLegal ? to : 'invalid_transition');
      const live = life.runs(id).filter((run) => run.status === 'running').length;
      assert.equal(live, life.status(id) === 'in-progress' ? 1 : 0, `${from} to ${to}`);
    }
  });
}

test('a retry brings back what was blocked or given up, and nothing else', async () => {
  for (const status of TASK_STATUSES) {
    const id = await life.inStatus(status);
    const answer = await life.ask(retryTask, { taskId: id, actor: 'operator' });
    const isRetried = (['blocked', 'deadletter'] as TaskStatus[]).includes(status);
    assert.equal('code' in answer ? answer.code : answer.task.status, isRetried ? 'ready' : 'invalid_transition');
  }
});

test('an edit changes what it names, logs it, and is no event where nothing changes', async () => {
  const id = await life.create();
  const edit = { taskId: id, actor: 'operator', reason: 'asked' };
  const change = { title: ' New ', priority: 'high', agent: 'ann', reviewRequired: false } as const;
  const { task, events } = await life.do(editTask, { ...edit, change });
  assert.deepEqual([task.title, task.priority, task.routing.agent, task.revision], ['New', 'high', 'ann', 2]);
  const payload = {
    fields: ['title', 'priority', 'routing', 'metadata'],
    reason: 'asked',
    oldPriority: 'normal',
    newPriority: 'high',
  };
  assert.deepEqual(
    events.map((event) => event.payload),
    [payload],
  );
  assert.deepEqual((await life.do(editTask, { ...edit, change })).events, []);
  assert.equal(await life.refused(editTask, { ...edit, change: { title: '' } }), 'invalid_argument');
  assert.equal(await life.refused(editTask, { ...edit, change: { agent: 'all' } }), 'invalid_argument');
});

test('an edit keeps what the task still waits for', async () => {
  const id = await life.create({ dependsOn: [await life.create()] });
  await life.do(editTask, { taskId: id, actor: 'operator', reason: null, change: { body: 'more' } });
  assert.equal(life.openDependencies(id), 1);
});

test('after all this the log replays to the very same state', () => {
  assert.deepEqual(checkLedger(life.at.ledger.database), []);
});
