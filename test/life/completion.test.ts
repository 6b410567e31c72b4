import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMPLETION_OUTCOMES, type CompletionOutcome } from '../../src/domain/task/resolve-completion.ts';
import type { TaskStatus } from '../../src/domain/task/task-lifecycle.ts';
import { checkLedger } from '../support/ledger/check-ledger.ts';
import { completion, reasonsOf, TaskLife, typesOf } from '../support/task/task-life.ts';

const life = await TaskLife.open();

/** AOF/1, Completion Outcomes. */
const ENDS_IN: Record<CompletionOutcome, { readonly reviewed: TaskStatus; readonly unreviewed: TaskStatus }> = {
  done: { reviewed: 'review', unreviewed: 'done' },
  blocked: { reviewed: 'blocked', unreviewed: 'blocked' },
  needs_review: { reviewed: 'review', unreviewed: 'review' },
  partial: { reviewed: 'review', unreviewed: 'review' },
};

for (const outcome of COMPLETION_OUTCOMES) {
  for (const [name, metadata] of Object.entries({ reviewed: {}, unreviewed: { reviewRequired: false } })) {
    const end = ENDS_IN[outcome][name as 'reviewed'];
    test(`a report of ${outcome} of a ${name} task waits for session_end, which leads to ${end}`, async () => {
      const { id, run } = await life.claimed({ metadata });
      const answer = await life.report(id, outcome);
      assert.deepEqual([answer.verdict, life.status(id)], ['accepted', 'in-progress']);
      assert.deepEqual(typesOf(answer), ['protocol.message.received', 'task.completed', 'protocol.message.warning']);
      assert.equal(life.runs(id)[0]?.result?.outcome, outcome);
      assert.equal((await life.end(id, 'swe-backend', run.id)).status, end);
      assert.equal(life.runs(id)[0]?.status, 'completed');
      assert.equal(life.task(id).runId, null);
    });
  }
}

test('done without review passes through review, in order', async () => {
  const { id } = await life.claimed({ metadata: { reviewRequired: false } });
  await life.report(id, 'done');
  await life.end(id);
  const moves = life.at.ledger.read
    .all("SELECT payload FROM events WHERE task_id = ? AND type = 'task.transitioned' ORDER BY seq", id)
    .map((row) => JSON.parse(String(row.payload)).to);
  assert.deepEqual(moves, ['ready', 'in-progress', 'review', 'done']);
});

test('a session_end without a report gives the task back at once', async () => {
  const { id } = await life.claimed();
  assert.equal((await life.end(id)).status, 'ready');
  const [run] = life.runs(id);
  assert.deepEqual([run?.status, run?.endReason], ['failed', 'session_end']);
});

test('a session_end touches only its own run', async () => {
  const other = await life.claimed();
  await life.report(other.id, 'done');
  const { id } = await life.claimed();
  await life.end(id);
  assert.equal(life.status(other.id), 'in-progress');
});

test('the last report of a run counts, and each is logged', async () => {
  const { id } = await life.claimed();
  await life.report(id, 'partial');
  await life.report(id, 'blocked');
  assert.equal((await life.end(id)).status, 'blocked');
  const row = life.at.ledger.read.one(
    "SELECT count(*) AS n FROM events WHERE task_id = ? AND type = 'task.completed'",
    id,
  );
  assert.equal(row?.n, 2);
});

test('a report for a task that does not exist is rejected as task_not_found', async () => {
  const answer = await life.report('TASK-2020-01-01-001', 'done');
  assert.deepEqual([answer.verdict, answer.code], ['refused', 'task_not_found']);
  assert.deepEqual(reasonsOf(answer, 'protocol.message.rejected'), ['task_not_found']);
});

test('an unknown outcome is rejected as an invalid envelope and changes nothing', async () => {
  const { id } = await life.claimed();
  const answer = await life.report(id, 'finished' as CompletionOutcome);
  assert.deepEqual([answer.verdict, answer.code], ['malformed', 'invalid_envelope']);
  assert.deepEqual(reasonsOf(answer, 'protocol.message.rejected'), ['invalid_envelope']);
  assert.equal(life.runs(id)[0]?.result, null);
});

test('a report that comes again after its run took effect is heard and changes nothing', async () => {
  for (const [outcome, status] of [
    ['done', 'review'],
    ['partial', 'review'],
    ['blocked', 'blocked'],
  ] as const) {
    const { id } = await life.claimed();
    await life.report(id, outcome);
    await life.end(id);
    const before = life.task(id);
    const answer = await life.report(id, outcome);
    assert.deepEqual([answer.verdict, typesOf(answer)], ['accepted', ['protocol.message.received']]);
    assert.deepEqual(life.task(id), before);
    assert.equal(life.status(id), status);
  }
});

test('a report for a task that is done is a no-op', async () => {
  const id = await life.inStatus('done');
  for (const outcome of COMPLETION_OUTCOMES) {
    const answer = await life.report(id, outcome);
    assert.deepEqual([answer.verdict, typesOf(answer)], ['accepted', ['protocol.message.received']]);
  }
  assert.equal(life.status(id), 'done');
});

test('a report without a run, where another status was wanted, is rejected as not_running', async () => {
  for (const status of ['blocked', 'deadletter'] as const) {
    const id = await life.inStatus(status);
    const answer = await life.report(id, 'done');
    assert.deepEqual([answer.verdict, answer.code, life.status(id)], ['refused', 'not_running', status]);
    assert.deepEqual(reasonsOf(answer, 'protocol.message.rejected'), ['not_running']);
  }
});

test('a task of nobody hears whoever reports, and records who it was', async () => {
  for (const status of ['backlog', 'ready'] as const) {
    const id = await life.inStatus(status);
    const answer = await life.report(id, 'done', { from: 'wanderer' });
    assert.equal(answer.verdict, 'accepted');
    const [run] = life.runs(id);
    assert.deepEqual([run?.agent, run?.result?.outcome, life.status(id)], ['wanderer', 'done', 'in-progress']);
    assert.equal((await life.end(id, 'wanderer')).status, 'review');
  }
});

test('a report by a stranger is rejected as unauthorized_agent', async () => {
  const held = await life.claimed();
  const routed = await life.create({ agent: 'swe-backend' });
  for (const id of [held.id, routed]) {
    const answer = await life.report(id, 'done', { from: 'swe-qa' });
    assert.deepEqual([answer.verdict, answer.code], ['refused', 'unauthorized_agent']);
    assert.deepEqual(reasonsOf(answer, 'protocol.message.rejected'), ['unauthorized_agent']);
  }
  assert.equal(life.runs(held.id)[0]?.result, null);
  assert.equal((await life.report(held.id, 'done', { from: 'operator' })).verdict, 'accepted');
});

test('a report of an old run is rejected as stale_run and never completes the new one', async () => {
  const { id, run: old } = await life.claimed();
  await life.end(id);
  const fresh = await life.claim(id);
  assert.ok(fresh.fence > old.fence);
  const answer = await life.report(id, 'done', { run: old.id });
  assert.deepEqual([answer.code, reasonsOf(answer, 'protocol.message.rejected')], ['stale_run', ['stale_run']]);
  assert.equal(life.runs(id)[1]?.result, null);
  assert.equal((await life.report(id, 'done', { run: fresh.id })).verdict, 'accepted');
});

test('a report that came before the reclaim stays with its attempt', async () => {
  const { id } = await life.claimed();
  await life.report(id, 'partial');
  await life.move(id, 'ready');
  await life.claim(id);
  assert.deepEqual(
    life.runs(id).map((run) => [run.status, run.result?.outcome ?? null]),
    [
      ['abandoned', 'partial'],
      ['running', null],
    ],
  );
  assert.equal((await life.end(id)).status, 'ready');
});

test('a report that is newer than a block takes effect at session_end, one that is older does not', async () => {
  for (const jumpMs of [0, -86_400_000, 86_400_000]) {
    const later = await life.claimed();
    await life.update(later.id, { status: 'blocked', blockers: ['no key'] });
    life.at.clock.jumpWall(jumpMs);
    await life.report(later.id, 'done');
    assert.equal((await life.end(later.id)).status, 'review');
    const earlier = await life.claimed();
    await life.report(earlier.id, 'done');
    life.at.clock.jumpWall(jumpMs);
    await life.update(earlier.id, { status: 'blocked', blockers: ['no key'] });
    assert.equal((await life.end(earlier.id)).status, 'blocked');
  }
});

test('blocked without blockers is accepted with a warning', async () => {
  const { id } = await life.claimed();
  const payload = completion('blocked', { blockers: [] });
  const answer = await life.send('completion.report', id, { payload });
  assert.equal(answer.verdict, 'accepted');
  assert.deepEqual(reasonsOf(answer, 'protocol.message.warning'), ['blockers_missing', 'summary_file_not_found']);
});

test('after all this the log replays to the very same state', () => {
  assert.deepEqual(checkLedger(life.at.ledger.database), []);
});

test('a summary that is not in the folder of the task is noted, and the report is heard all the same', async () => {
  const { id } = await life.claimed();
  const answer = await life.report(id, 'done');
  assert.deepEqual(answer.events.at(-1)?.payload, {
    type: 'completion.report',
    reason: 'summary_file_not_found',
    path: '/payload/summaryRef',
    message: `there is no file "outputs/summary.md" and no file "outputs/handoff.md" in the folder of ${id}`,
  });
});

test('a missing handoff file is noted as a missing summary is, and a report with both files is not', async () => {
  const { id } = await life.claimed();
  const outputs = join(life.at.folder, 'tasks/in-progress', id, 'outputs');
  mkdirSync(outputs, { recursive: true });
  writeFileSync(join(outputs, 'summary.md'), '# Done');
  const [warning] = (await life.report(id, 'done')).events.filter(({ type }) => type === 'protocol.message.warning');
  assert.deepEqual(
    [warning?.payload.reason, warning?.payload.message],
    ['summary_file_not_found', `there is no file "outputs/handoff.md" in the folder of ${id}`],
  );
  writeFileSync(join(outputs, 'handoff.md'), '# To you');
  assert.deepEqual(reasonsOf(await life.report(id, 'done'), 'protocol.message.warning'), []);
  assert.equal((await life.end(id)).status, 'review');
});
