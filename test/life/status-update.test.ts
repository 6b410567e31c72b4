import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TASK_BODY_CHARACTERS_MAX } from '../../src/domain/limits.ts';
import { TASK_STATUSES, type TaskStatus } from '../../src/domain/task/task-lifecycle.ts';
import { checkLedger } from '../support/ledger/check-ledger.ts';
import { reasonsOf, SENT_AT, TaskLife, typesOf } from '../support/task/task-life.ts';

const life = await TaskLife.open();

/** aof:statuses. */
const LEGAL: Readonly<Record<TaskStatus, string>> = {
  backlog: 'ready blocked cancelled',
  ready: 'in-progress blocked deadletter cancelled',
  'in-progress': 'review ready blocked deadletter cancelled',
  blocked: 'ready review deadletter cancelled',
  review: 'done in-progress blocked cancelled',
  done: '',
  cancelled: '',
  deadletter: 'ready cancelled',
};

for (const from of TASK_STATUSES) {
  test(`a status.update from ${from} to each status moves where aof:statuses allows it, else it is logged`, async () => {
    for (const to of TASK_STATUSES) {
      for (const sender of ['swe-backend', 'operator']) {
        const id = await life.inStatus(from);
        const answer = await life.update(id, { status: to, notes: `to ${to}` }, { from: sender });
        const isCancel = to === 'cancelled' && sender !== 'operator';
        const isMove = LEGAL[from].split(' ').includes(to) && !isCancel;
        const what = `${from} to ${to} by ${sender}`;
        assert.equal(answer.verdict, 'accepted');
        assert.equal(life.status(id), isMove ? to : from, what);
        assert.equal(typesOf(answer).includes('task.transitioned'), isMove, what);
        assert.equal(life.task(id).body.includes('## Work Log'), !isMove, what);
        assert.equal(life.task(id).runId !== null, life.status(id) === 'in-progress' || hasLiveRun(from, to), what);
      }
    }
  });
}

/** A run goes on while its task is blocked or waits for review: its session has not ended. */
function hasLiveRun(from: TaskStatus, to: TaskStatus): boolean {
  return from === 'in-progress' && to !== 'ready';
}

test('the work log has the form of the document', async () => {
  const { id } = await life.claimed({ body: 'Build it.' });
  await life.update(id, {
    progress: 'Implemented core logic',
    notes: 'ETA later',
    blockers: ['Awaiting API key', 'no desk'],
  });
  await life.update(id, { progress: 'More' });
  const entry = `- ${SENT_AT} Progress: Implemented core logic | Notes: ETA later | Blockers: Awaiting API key, no desk`;
  assert.equal(life.task(id).body, `Build it.\n\n## Work Log\n\n${entry}\n- ${SENT_AT} Progress: More\n`);
});

test('example 3: progress only is logged and moves nothing', async () => {
  const { id } = await life.claimed({}, 'swe-qa');
  const payload = { progress: 'Executed 50/100 test cases', notes: 'No issues found so far' };
  const answer = await life.update(id, payload, { from: 'swe-qa' });
  assert.deepEqual(typesOf(answer), ['protocol.message.received', 'task.logged']);
  assert.equal(life.status(id), 'in-progress');
});

test('example 4: the reason of a move is the blockers, else the notes, else the progress', async () => {
  const rows = [
    [
      { blockers: ['Test environment unreachable', 'no desk'], notes: 'n', progress: 'p' },
      'Test environment unreachable; no desk',
    ],
    [{ notes: 'n', progress: 'p' }, 'n'],
    [{ progress: 'p' }, 'p'],
    [{}, null],
  ] as const;
  for (const [said, reason] of rows) {
    const { id } = await life.claimed();
    const answer = await life.update(id, { status: 'blocked', ...said });
    assert.deepEqual([life.status(id), reasonsOf(answer, 'task.transitioned')], ['blocked', [reason]]);
  }
});

test('an update to the status the task has is logged and moves nothing', async () => {
  const { id } = await life.claimed();
  const answer = await life.update(id, { status: 'in-progress', progress: 'still at it' });
  assert.deepEqual(typesOf(answer), ['protocol.message.received', 'task.logged']);
  assert.deepEqual(typesOf(await life.update(id, { status: 'in-progress' })), ['protocol.message.received']);
});

test('an agent does not approve the work that it did, in whatever steps and runs; a reviewer and an operator do', async () => {
  for (const [reviewer, status] of [
    ['swe-backend', 'review'],
    ['swe-qa', 'done'],
    ['operator', 'done'],
  ] as const) {
    const { id } = await life.claimed();
    await life.update(id, { status: 'review' });
    await life.end(id);
    const answer = await life.update(id, { status: 'done' }, { from: reviewer });
    assert.deepEqual([answer.verdict, life.status(id)], ['accepted', status]);
    if (status === 'done') continue;
    assert.deepEqual(typesOf(answer), ['protocol.message.received', 'task.logged', 'protocol.message.warning']);
    assert.deepEqual(reasonsOf(answer, 'protocol.message.warning'), ['status_not_applied']);
    assert.match(life.task(id).body, /^- \S+ Status: done \(claimed by swe-backend, not applied\)$/m);
    await life.update(id, { status: 'in-progress' });
    await life.update(id, { status: 'review' });
    await life.update(id, { status: 'done' });
    assert.equal(life.status(id), 'review', 'by a second run');
  }
});

test('an unknown task, an unknown status and an empty update are rejected', async () => {
  const { id } = await life.claimed();
  assert.equal((await life.update('TASK-2020-01-01-001', { progress: 'x' })).code, 'task_not_found');
  const unknown = await life.update(id, { status: 'finished' });
  assert.deepEqual([unknown.verdict, unknown.code], ['malformed', 'invalid_envelope']);
  const empty = await life.update(id, {});
  assert.deepEqual([empty.verdict, empty.code], ['malformed', 'invalid_envelope']);
  assert.deepEqual(reasonsOf(empty, 'protocol.message.rejected'), ['invalid_envelope']);
});

test('a payload about another task is rejected as taskId_mismatch', async () => {
  const { id } = await life.claimed();
  const answer = await life.update(id, { taskId: 'TASK-2020-01-01-001', progress: 'x' });
  assert.equal(answer.code, 'taskId_mismatch');
  assert.deepEqual(reasonsOf(answer, 'protocol.message.rejected'), ['taskId_mismatch']);
});

test('an update by a stranger or of an old run moves nothing and leaves no log entry', async () => {
  const { id } = await life.claimed();
  const stranger = await life.update(id, { status: 'blocked', notes: 'x' }, { from: 'swe-qa' });
  const stale = await life.update(id, { status: 'blocked', notes: 'x' }, { run: 'run_before' });
  assert.deepEqual([stranger.code, stale.code], ['unauthorized_agent', 'stale_run']);
  assert.deepEqual([life.status(id), life.task(id).body], ['in-progress', '']);
});

test('an update to in-progress is a claim: it waits for dependencies and for the resource', async () => {
  const needed = await life.create();
  const waiting = await life.inStatus('ready', { dependsOn: [needed] });
  await life.update(waiting, { status: 'in-progress', notes: 'now' });
  assert.deepEqual([life.status(waiting), life.runs(waiting).length], ['ready', 0]);
  await life.claimed({ resource: 'staging' });
  const busy = await life.inStatus('ready', { resource: 'staging' });
  await life.update(busy, { status: 'in-progress', notes: 'now' });
  assert.deepEqual([life.status(busy), life.runs(busy).length], ['ready', 0]);
});

test('a task that its agent gives back is free: its old run can neither speak nor take it again', async () => {
  const { id, run } = await life.claimed();
  await life.update(id, { status: 'ready', notes: 'cannot' });
  const fresh = await life.claim(id, 'swe-qa');
  assert.equal((await life.report(id, 'done', { run: run.id })).code, 'stale_run');
  life.at.clock.step(200_000);
  await life.beat(id, 'swe-qa', fresh.id);
  life.at.clock.step(200_000);
  await life.sweep();
  assert.deepEqual([life.status(id), life.task(id).runId], ['in-progress', fresh.id]);
});

test('after all this the log replays to the very same state', () => {
  assert.deepEqual(checkLedger(life.at.ledger.database), []);
});

test('notes fill a body to its limit and no further; every one is in the log', async () => {
  const { id } = await life.claimed({ body: 'Build it.' });
  const notes = 'n'.repeat(9_900);
  for (let count = 0; count < 120; count++) assert.equal((await life.update(id, { notes })).verdict, 'accepted');
  const { length } = life.task(id).body;
  assert.ok(length <= TASK_BODY_CHARACTERS_MAX && length > TASK_BODY_CHARACTERS_MAX - 20_000, String(length));
  const logged = life.at.ledger.read.one(
    "SELECT count(*) AS n FROM events WHERE task_id = ? AND type = 'task.logged'",
    id,
  );
  assert.equal(logged?.n, 120);
});
