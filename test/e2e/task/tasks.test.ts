import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HeldTask } from '../../../src/api/contract.ts';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import { aofExample, DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { BATON, linesOf } from '../../support/run-baton.ts';

// The examples of aof-1.md, played by the real command line; what each says of files and events is looked for.

const scratch = scratchFolder('tasks');
const folder = (name: string) => new DataFolder(join(scratch, name));

async function claimed(data: DataFolder, title: string, agent: string): Promise<HeldTask> {
  const task = await data.newTask(title);
  return await data.json<HeldTask>('task', 'claim', task.id, '--agent', agent);
}

test('example 1: a report of done is kept with the run, and the task goes to review when the run ends', async () => {
  const data = folder('example-1');
  const { task, run } = await claimed(data, 'Users and auth', 'swe-backend');
  assert.deepEqual(data.readJson('runs', task.id, 'run.json').status, 'running');
  assert.ok(data.has('runs', task.id, 'run_heartbeat.json'));
  const message = aofExample('example-1-completion-report', { 'TASK-2026-02-09-057': task.id });
  const answer = await data.send(message);
  assert.deepEqual(
    [answer.exit, answer.verdict, answer.code, answer.task?.status],
    [0, 'accepted', null, 'in-progress'],
  );
  assert.ok(answer.events.some(({ type }) => type === 'task.completed'));
  const result = data.readJson('runs', task.id, 'run_result.json');
  assert.deepEqual([result.outcome, result.agentId, result.handoffRef], ['done', 'swe-backend', 'outputs/handoff.md']);
  assert.ok(data.has('tasks', 'in-progress', `${task.id}.md`));
  const ended = await data.json<HeldTask>('task', 'end', task.id, '--agent', 'swe-backend', '--run', run.id);
  assert.deepEqual([ended.task.status, ended.run.id, ended.run.outcome], ['review', run.id, 'done']);
  assert.ok(data.has('tasks', 'review', `${task.id}.md`) && !data.has('tasks', 'in-progress', `${task.id}.md`));
});

test('example 1 without review: the task is done at once, by way of review', async () => {
  const data = folder('example-1-no-review');
  const task = await data.newTask('Users', '--no-review');
  await data.json('task', 'claim', task.id, '--agent', 'swe-backend');
  await data.send(aofExample('example-1-completion-report', { 'TASK-2026-02-09-057': task.id }));
  await data.json('task', 'end', task.id, '--agent', 'swe-backend');
  const moves = (await data.eventsOf(task.id)).filter(({ type }) => type === 'task.transitioned');
  assert.deepEqual(
    moves.map(({ payload }) => payload.to),
    ['ready', 'in-progress', 'review', 'done'],
  );
  assert.ok(data.has('tasks', 'done', `${task.id}.md`));
});

test('example 2: a report of blocked blocks the task, with its blockers as the reason', async () => {
  const data = folder('example-2');
  const { task } = await claimed(data, 'Users', 'swe-backend');
  await data.send(aofExample('example-2-completion-report', { 'TASK-2026-02-09-058': task.id }));
  const ended = await data.json<HeldTask>('task', 'end', task.id, '--agent', 'swe-backend');
  assert.equal(ended.task.status, 'blocked');
  const shown = await data.json<{ status: string; reason: string }>('task', 'show', task.id);
  assert.equal(shown.reason, 'Awaiting API key for external service; Need database credentials');
  assert.equal(data.readJson('runs', task.id, 'run_result.json').outcome, 'blocked');
  assert.ok(data.has('tasks', 'blocked', `${task.id}.md`));
});

test('example 3: progress goes into the work log of the task, and nothing moves', async () => {
  const data = folder('example-3');
  const { task } = await claimed(data, 'Test the API', 'swe-qa');
  const answer = await data.send(aofExample('example-3-status-update', { 'TASK-2026-02-09-059': task.id }));
  assert.equal(answer.task?.status, 'in-progress');
  const line = '- 2026-02-09T21:20:00.000Z Progress: Executed 50/100 test cases | Notes: No issues found so far';
  assert.ok(data.read('tasks', 'in-progress', `${task.id}.md`).includes(`## Work Log\n\n${line}\n`));
});

test('example 4: a status update moves the task, its blockers are the reason', async () => {
  const data = folder('example-4');
  const { task } = await claimed(data, 'Test the API', 'swe-qa');
  const answer = await data.send(aofExample('example-4-status-update', { 'TASK-2026-02-09-060': task.id }));
  assert.equal(answer.task?.status, 'blocked');
  const moved = answer.events.find(({ type }) => type === 'task.transitioned');
  const { message, ...payload } = moved?.payload ?? {};
  const reason = 'Test environment unreachable';
  assert.deepEqual(payload, { from: 'in-progress', to: 'blocked', reason, cause: null });
  // saop:stream: the log carries each move as SAOP has it, too.
  const { payload: move } = message as { payload: Record<string, unknown> };
  assert.deepEqual([move.type, move.from_state, move.to_state], ['TASK_TRANSITION', 'in-progress', 'blocked']);
  assert.ok(data.has('tasks', 'blocked', `${task.id}.md`));
});

/** A parent that is held and a child that is ready, as examples 5 to 7 start. */
async function handedOver(data: DataFolder): Promise<{ parent: TaskView; child: TaskView }> {
  const { task: parent } = await claimed(data, 'Users and auth', 'swe-backend');
  const child = await data.newTask('Test users and auth', '--parent', parent.id);
  await data.json('task', 'move', child.id, 'ready');
  const names = { 'TASK-2026-02-09-061': child.id, 'TASK-2026-02-09-057': parent.id };
  const answer = await data.send(aofExample('example-5-handoff-request', names));
  assert.deepEqual([answer.exit, answer.verdict], [0, 'accepted']);
  assert.ok(answer.events.some(({ type }) => type === 'delegation.requested'));
  return { parent, child };
}

test('examples 5 and 6: a handoff is written for the child, and taken', async () => {
  const data = folder('example-5');
  const { parent, child } = await handedOver(data);
  const handoff = data.readJson('tasks', 'ready', child.id, 'inputs', 'handoff.json');
  assert.deepEqual([handoff.taskId, handoff.parentTaskId, handoff.toAgent], [child.id, parent.id, 'swe-qa']);
  const page = data.read('tasks', 'ready', child.id, 'inputs', 'handoff.md');
  assert.match(page, /^# Handoff Request\n\n\*\*From:\*\* swe-backend\n\*\*To:\*\* swe-qa\n/);
  assert.match(page, /## Constraints\n\n- No new dependencies\n- Use existing test framework\n/);
  const names = { 'TASK-2026-02-09-061': child.id };
  const answer = await data.send(aofExample('example-6-handoff-accepted', names));
  assert.ok(answer.events.some(({ type }) => type === 'delegation.accepted'));
  assert.equal(answer.task?.status, 'ready');
});

test('example 5 again from the child: what was handed down is not handed down further', async () => {
  const data = folder('example-5-nested');
  const { child } = await handedOver(data);
  await data.json('task', 'claim', child.id, '--agent', 'swe-qa');
  const grandchild = await data.newTask('One more');
  const example = aofExample('example-5-handoff-request', {
    'TASK-2026-02-09-061': grandchild.id,
    'TASK-2026-02-09-057': child.id,
    '"swe-qa"': '"swe-more"',
    '"swe-backend"': '"swe-qa"',
  });
  const answer = await data.send(example);
  assert.deepEqual([answer.exit, answer.verdict, answer.code], [2, 'refused', 'nested_delegation']);
  assert.ok(answer.events.some(({ type }) => type === 'delegation.rejected'));
});

test('example 7: a child that is not taken is blocked, with the reason', async () => {
  const data = folder('example-7');
  const { child } = await handedOver(data);
  const answer = await data.send(aofExample('example-7-handoff-rejected', { 'TASK-2026-02-09-062': child.id }));
  assert.equal(answer.task?.status, 'blocked');
  const types = answer.events.map(({ type }) => type);
  assert.ok(types.includes('task.transitioned') && types.includes('delegation.rejected'));
  assert.ok(data.has('tasks', 'blocked', `${child.id}.md`));
  assert.ok(data.has('tasks', 'blocked', child.id, 'inputs', 'handoff.json'));
});

test('many messages in one file are answered one a line, and one that is not accepted makes it exit 2', async () => {
  const data = folder('lines');
  const { task } = await claimed(data, 'Test the API', 'swe-qa');
  const progress = JSON.stringify(aofExample('example-3-status-update', { 'TASK-2026-02-09-059': task.id }));
  const prefixed = await data.run(['send', '--json'], { input: [`AOF/1 ${progress}\n`, `AOF/1 ${progress}\n`] });
  assert.deepEqual([prefixed.status, linesOf(prefixed).length], [0, 2]);
  const mixed = await data.run(['send', '--lines', '-', '--json'], { input: [`${progress}\n{"a":1}\n{"protocol":\n`] });
  const verdicts = linesOf<{ verdict: string; code: string | null }>(mixed).map(({ verdict, code }) => [verdict, code]);
  assert.deepEqual(verdicts, [
    ['accepted', null],
    ['foreign', null],
    ['malformed', 'invalid_json'],
  ]);
  assert.equal(mixed.status, 2);
});

test('a message for a run that no longer holds the task is refused, whichever way the run is named', async () => {
  const data = folder('stale-run');
  const { task, run } = await claimed(data, 'Test the API', 'swe-qa');
  await data.json('task', 'end', task.id, '--agent', 'swe-qa');
  const again = await data.json<HeldTask>('task', 'claim', task.id, '--agent', 'swe-qa');
  assert.ok(again.run.fence > run.fence);
  const message = aofExample('example-3-status-update', { 'TASK-2026-02-09-059': task.id });
  const answer = await data.send(message, '--run', run.id);
  assert.deepEqual([answer.exit, answer.verdict, answer.code], [2, 'refused', 'stale_run']);
  const beat = await data.run(['task', 'beat', task.id, '--agent', 'swe-qa', '--json'], {
    environment: { BATON_RUN: run.id },
  });
  assert.deepEqual([beat.status, linesOf<{ code: string }>(beat)[0]?.code], [2, 'stale_run']);
  const live = await data.send(message, '--run', again.run.id);
  assert.equal(live.verdict, 'accepted');
});

test('sent again with its key, a call of another process gives the first answer and changes nothing', async () => {
  const data = folder('keys');
  const [first, second] = await Promise.all([
    data.newTask('Once', '--key', 'k-1'),
    data.newTask('Once', '--key', 'k-1'),
  ]);
  assert.deepEqual(first, second);
  assert.equal(linesOf(await data.run(['task', 'list', '--json'])).length, 1);
  const claim = ['task', 'claim', first.id, '--agent', 'emma', '--key', 'k-2'];
  const [one, other] = [await data.json<HeldTask>(...claim), await data.json<HeldTask>(...claim)];
  assert.equal(one.run.id, other.run.id);
  const reused = await data.run(['task', 'new', 'Twice', '--key', 'k-1', '--json']);
  assert.deepEqual([reused.status, linesOf<{ code: string }>(reused)[0]?.code], [2, 'idempotency_key_reused']);
});

test('of two processes that claim at once one wins', async () => {
  const data = folder('race');
  for (let round = 0; round < 3; round++) {
    const task = await data.newTask(`Race ${round}`);
    const runs = await Promise.all(
      ['emma', 'bob'].map((agent) => data.run(['task', 'claim', task.id, '--agent', agent, '--json'])),
    );
    assert.deepEqual(runs.map(({ status }) => status).sort(), [0, 2]);
    const lost = runs.find(({ status }) => status === 2);
    assert.equal(linesOf<{ code: string }>(lost as never)[0]?.code, 'already_claimed');
    const claims = (await data.eventsOf(task.id)).filter(({ type }) => type === 'task.claimed');
    assert.equal(claims.length, 1);
  }
});

test('the file of a task is there when its answer is', async () => {
  const data = folder('shown');
  await data.newTask('Before');
  const child = spawn(BATON, ['task', 'new', 'Shown', '--json', '--data', data.path]);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { id } = JSON.parse(String(line)) as TaskView;
  assert.ok(data.has('tasks', 'backlog', `${id}.md`));
  assert.match(
    data.read('events', `${id.slice('TASK-'.length, -'-001'.length)}.jsonl`),
    new RegExp(`"taskId":"${id}"`),
  );
  await once(child, 'close');
});

test('several tasks are cancelled in one call, or none if one of them does not exist', async () => {
  const data = folder('cancel');
  const [one, two, three] = await Promise.all(['One', 'Two', 'Three'].map((title) => data.newTask(title)));
  const missing = await data.run(['task', 'cancel', one?.id ?? '', '999']);
  assert.equal(missing.status, 2);
  assert.match(missing.stderr, /there is no task "999"; nothing was cancelled/);
  const run = await data.run([
    'task',
    'cancel',
    one?.id ?? '',
    two?.id ?? '',
    one?.id ?? '',
    '--reason',
    'late',
    '--json',
  ]);
  assert.equal(run.status, 0, run.stderr);
  assert.deepEqual(
    linesOf<TaskView>(run).map(({ id, status }) => [id, status]),
    [one, two].map((task) => [task?.id, 'cancelled']),
  );
  assert.match((await data.run(['task', 'cancel', 'three'])).stdout, new RegExp(`^${three?.id} is cancelled now`));
});
