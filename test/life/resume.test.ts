import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEARTBEAT_TTL_MS, RECOVERY_RUNS_PER_TICK_MAX } from '../../src/domain/limits.ts';
import { COMPLETION_OUTCOMES, type CompletionOutcome } from '../../src/domain/task/resolve-completion.ts';
import type { TaskStatus } from '../../src/domain/task/task-lifecycle.ts';
import { claimTask } from '../../src/operations/task/claim-task.ts';
import { createTask } from '../../src/operations/task/create-task.ts';
import { checkLedger } from '../support/ledger/check-ledger.ts';
import { NEW_TASK, TaskLife } from '../support/task/task-life.ts';

const HOUR_MS = 3_600_000;
const PROCESS = { pid: 4_711, startTicks: 12 };

function lastMove(life: TaskLife, id: string): { to: unknown; reason: unknown; actor: string } {
  const sql = "SELECT payload, actor FROM events WHERE task_id = ? AND type = 'task.transitioned' ORDER BY seq DESC";
  const row = life.at.ledger.read.one(sql, id) ?? assert.fail('it never moved');
  const { to, reason } = JSON.parse(String(row.payload));
  return { to, reason, actor: String(row.actor) };
}

/** AOF/1, Outcome-Driven Recovery, with aof:review. */
const RECOVERS_TO: Record<CompletionOutcome, TaskStatus> = {
  partial: 'review',
  done: 'review',
  needs_review: 'review',
  blocked: 'blocked',
};

for (const outcome of COMPLETION_OUTCOMES) {
  test(`example 8: a run that reported ${outcome} before its heart stopped moves its task to ${RECOVERS_TO[outcome]}`, async () => {
    const life = await TaskLife.open();
    const { id } = await life.claimed();
    await life.report(id, outcome);
    life.at.clock.step(HEARTBEAT_TTL_MS);
    await life.sweep();
    const expected = { to: RECOVERS_TO[outcome], reason: `stale_heartbeat_${outcome}`, actor: 'dispatcher' };
    assert.deepEqual(lastMove(life, id), expected);
    assert.equal(life.runs(id)[0]?.status, 'completed');
    assert.deepEqual(await life.sweep(), []);
  });
}

test('example 9: a run that reported nothing is reclaimed, and its artifact says why', async () => {
  const life = await TaskLife.open();
  const { id } = await life.claimed();
  life.at.clock.step(HEARTBEAT_TTL_MS);
  await life.sweep();
  assert.deepEqual(lastMove(life, id), { to: 'ready', reason: 'stale_heartbeat_reclaim', actor: 'dispatcher' });
  const [run] = life.runs(id);
  assert.deepEqual(
    [run?.status, run?.endReason, run?.endedAt],
    ['failed', 'stale_heartbeat', life.at.clock.now().wallMs],
  );
});

test('done without review is honoured to the end after a silent death', async () => {
  const life = await TaskLife.open();
  const { id } = await life.claimed({ metadata: { reviewRequired: false } });
  await life.report(id, 'done');
  life.at.clock.step(HEARTBEAT_TTL_MS);
  await life.sweep();
  assert.equal(life.status(id), 'done');
});

test('three runs without a report block the task, and a retry counts afresh', async () => {
  const life = await TaskLife.open();
  const id = await life.create();
  const seen: TaskStatus[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    await life.claim(id);
    life.at.clock.step(HEARTBEAT_TTL_MS);
    await life.sweep();
    seen.push(life.status(id));
  }
  assert.deepEqual(seen, ['ready', 'ready', 'blocked']);
  assert.match(String(lastMove(life, id).reason), /3 runs ended without any report/);
  await life.move(id, 'ready');
  await life.claim(id);
  await life.end(id);
  assert.deepEqual([life.status(id), life.task(id).reclaims, life.task(id).fence], ['ready', 1, 4]);
});

test('a report between two reclaims starts their count over', async () => {
  const life = await TaskLife.open();
  const id = await life.create();
  for (const outcome of [null, null, 'partial', null, null] as const) {
    if (life.status(id) === 'review') await life.move(id, 'in-progress');
    else await life.claim(id, 'operator');
    if (outcome) await life.report(id, outcome, { from: 'operator' });
    await life.end(id, 'operator');
  }
  assert.equal(life.status(id), 'ready');
});

test('a beat keeps a run alive, and every message of its agent is one', async () => {
  const life = await TaskLife.open();
  const { id, run } = await life.claimed();
  const beats = [() => life.beat(id), () => life.update(id, { progress: 'on' }), () => life.report(id, 'partial')];
  for (const [at, beat] of beats.entries()) {
    life.at.clock.step(HEARTBEAT_TTL_MS - 1);
    await beat();
    assert.deepEqual(await life.sweep(), []);
    assert.equal(life.runs(id)[0]?.beats, at + 1);
  }
  assert.equal(life.task(id).runId, run.id);
  life.at.clock.step(HEARTBEAT_TTL_MS - 1);
  assert.deepEqual(await life.sweep(), []);
  life.at.clock.step(1);
  assert.notDeepEqual(await life.sweep(), []);
});

test('neither a stranger nor an old run beats or ends a run', async () => {
  const life = await TaskLife.open();
  const { id, run } = await life.claimed();
  const { beatRun } = await import('../../src/operations/run/beat-run.ts');
  const { endSession } = await import('../../src/operations/run/end-run.ts');
  for (const command of [beatRun, endSession] as const) {
    const ask = command as typeof beatRun;
    assert.equal(await life.refused(ask, { taskId: id, agent: 'swe-qa', runId: null }), 'unauthorized_agent');
    assert.equal(await life.refused(ask, { taskId: id, agent: 'swe-backend', runId: 'run_before' }), 'stale_run');
  }
  await life.end(id, 'swe-backend', run.id);
  assert.equal(await life.refused(endSession, { taskId: id, agent: 'swe-backend', runId: run.id }), 'stale_run');
  assert.equal(await life.refused(endSession, { taskId: id, agent: 'swe-backend', runId: null }), 'not_running');
});

for (const jump of [HOUR_MS, -HOUR_MS, 24 * HOUR_MS, -24 * HOUR_MS, 400 * 24 * HOUR_MS]) {
  test(`a wall clock that jumps by ${jump / HOUR_MS} h neither ends a lease nor makes it longer`, async () => {
    const life = await TaskLife.open();
    const { id } = await life.claimed();
    life.at.clock.jumpWall(jump);
    assert.deepEqual(await life.sweep(), []);
    life.at.reopen();
    life.at.clock.step(HEARTBEAT_TTL_MS - 1);
    assert.deepEqual(await life.sweep(), []);
    life.at.clock.step(1);
    await life.sweep();
    assert.equal(life.status(id), 'ready');
  });
}

test('after another boot a run of a process is over at once, and its report is honoured', async () => {
  const life = await TaskLife.open();
  const silent = await life.create();
  const reported = await life.create();
  for (const id of [silent, reported]) await life.claim(id, 'swe-backend', PROCESS);
  await life.report(reported, 'partial');
  life.at.clock.reboot();
  life.at.reopen();
  await life.sweep();
  assert.deepEqual([life.status(silent), life.status(reported)], ['ready', 'review']);
  assert.equal(lastMove(life, silent).reason, 'machine_restarted_reclaim');
  assert.equal(lastMove(life, reported).reason, 'machine_restarted_partial');
});

test('after another boot a claim by hand gets one fresh term, and no second', async () => {
  const life = await TaskLife.open();
  const { id } = await life.claimed();
  life.at.clock.step(HEARTBEAT_TTL_MS - 1);
  life.at.clock.reboot();
  assert.deepEqual(await life.sweep(), []);
  life.at.clock.step(HEARTBEAT_TTL_MS - 1);
  assert.deepEqual(await life.sweep(), []);
  assert.equal(life.status(id), 'in-progress');
  life.at.clock.step(1);
  await life.sweep();
  assert.equal(life.status(id), 'ready');
});

test('1,000 runs that were alive are all settled within ten seconds of a reopening, by their outcomes', async () => {
  const life = await TaskLife.open();
  const { ledger, clock } = life.at;
  const made = await Promise.all(Array.from({ length: 1_000 }, () => ledger.submit(createTask, NEW_TASK)));
  const ids = made.map((answer) => ('task' in answer ? answer.task.id : assert.fail(answer.code)));
  await Promise.all(ids.map((taskId) => ledger.submit(claimTask, { taskId, agent: 'swe-backend', process: null })));
  await Promise.all(ids.slice(0, 300).map((id) => life.report(id, 'done')));
  clock.step(HEARTBEAT_TTL_MS);
  const startedMs = performance.now();
  life.at.reopen();
  let ticks = 0;
  while ((await life.sweep()).length > 0) ticks++;
  const tookMs = performance.now() - startedMs;
  assert.equal(ticks, 1_000 / RECOVERY_RUNS_PER_TICK_MAX);
  const counted = life.at.ledger.read.all('SELECT status, count(*) AS n FROM tasks GROUP BY status ORDER BY status');
  assert.deepEqual(
    counted.map(({ status, n }) => [status, n]),
    [
      ['ready', 700],
      ['review', 300],
    ],
  );
  assert.ok(tookMs < 10_000, `${tookMs} ms`);
  assert.deepEqual(checkLedger(life.at.ledger.database), []);
});

test('one turn of the sweep is bounded', async () => {
  const life = await TaskLife.open();
  for (let at = 0; at < 3; at++) await life.claimed();
  life.at.clock.step(HEARTBEAT_TTL_MS);
  const ended = async () => (await life.sweep(2)).filter(({ type }) => type === 'run.ended').length;
  assert.deepEqual([await ended(), await ended(), await ended()], [2, 1, 0]);
});
