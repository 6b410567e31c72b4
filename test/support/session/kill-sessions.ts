import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClient } from '../../../src/api/node-client.ts';
import { NodeFault } from '../../../src/api/node-fault.ts';
import type { SessionView } from '../../../src/api/session/session-contract.ts';
import { verifyTrail } from '../../../src/checks/audit-trail.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { sessionFolder } from '../../../src/node/session-files.ts';
import { signersOf } from '../../../src/platform/node-key.ts';
import type { SessionFinalReportEvent } from '../../../src/protocols/aop/schema/events.ts';
import { checkLedger } from '../ledger/check-ledger.ts';
import type { Kill } from '../run/kill-runs.ts';
import { type AopTask, output, processesOf, RunStage, until } from '../run-stage.ts';
import { TestDaemon } from '../test-daemon.ts';
import { checkSession } from './check-session.ts';
import { type Member, sessionFor } from './session-stage.ts';

const SESSION_MS_MAX = 240_000;

/** How a session ends whatever happens to its node, and how often each of its agents may begin to work. */
const ENDS: Readonly<Record<string, string>> = {
  first: 'COMPLETED',
  second: 'COMPLETED',
  dear: 'COMPLETED',
  bad: 'FAILED',
  skipped: 'SKIPPED',
  last: 'SKIPPED',
};

function tasksOf(stage: RunStage): readonly AopTask[] {
  const [one, other] = [stage.repository().root, stage.repository().root];
  const counts = (task: Member['task'] = {}): Member => ({ agent: 'counts-its-starts', task });
  return sessionFor(one, {
    first: counts({ expected_outputs: [output('first.txt')] }),
    second: { ...counts({ expected_outputs: [output('second.txt')] }), after: ['first'] },
    dear: { agent: 'reports-cost', objective: 'COST 0.25', root: other },
    bad: { agent: 'crashes', root: other, after: ['dear'] },
    skipped: { agent: 'completes', after: ['bad'] },
    last: { agent: 'completes', after: ['second', 'skipped'] },
  });
}

/**
 * Kills a node in the middle of a session, and holds what the next one makes of it to what was promised: the session ends once, as
 * it should, no task is started again that had ended, and the report says what the ledger says.
 */
export async function killSession(name: string, kill: Kill): Promise<{ readonly isKilled: boolean }> {
  const stage = await RunStage.alone(name);
  const tasks = tasksOf(stage);
  const environment: Record<string, string> = 'at' in kill ? { BATON_CRASH: kill.at } : {};
  const first = TestDaemon.spawnWith(environment, stage.data.path);
  const isUp = await first.isUp();
  if (isUp) await submit(first.client, tasks);
  if (isUp && 'afterMs' in kill) {
    await sleep(kill.afterMs);
    await first.end('SIGKILL');
  }
  const isDead = await Promise.race([first.ended.then(() => true), isUp ? isGone(first.client, tasks) : true]);
  if (isDead === false) await first.end();
  const next = await TestDaemon.start(stage.data.path);
  if (!(await isKnown(next.client, tasks))) await submit(next.client, tasks);
  await isGone(next.client, tasks);
  const view = await shown(next.client, tasks);
  const report = await next.client.sessionReport({ session: idOf(tasks) });
  assert.ok(!isRefusal(report));
  const findings = [
    ...viewFindings(view, report.report as SessionFinalReportEvent | null),
    ...ledgerFindings(stage, view, idOf(tasks)),
    ...startFindings(tasks),
    ...(await auditFindings(stage.data.path, idOf(tasks))),
    ...tasks.flatMap((task) => processesOf(task).map((pid) => `process ${pid} is left`)),
  ];
  assert.deepEqual(findings, [], JSON.stringify(kill));
  await next.end();
  return { isKilled: isDead !== false };
}

/**
 * The same in the middle of a rerun: a session that has ended is continued or retried, and its node is killed. It ends as before, the
 * tasks that were completed do not run again, and the rerun is there once.
 */
export async function killRerun(verb: 'continue' | 'retry', at: string): Promise<{ readonly isKilled: boolean }> {
  const stage = await RunStage.alone('session-rerun');
  const tasks = tasksOf(stage);
  const session = idOf(tasks);
  const first = await TestDaemon.start(stage.data.path);
  await submit(first.client, tasks);
  assert.equal(await isGone(first.client, tasks), false);
  await first.end();
  const killed = TestDaemon.spawnWith({ BATON_CRASH: at }, stage.data.path);
  const reopen = (client: NodeClient) =>
    verb === 'retry'
      ? client.retrySession({ session }, { key: 'again' })
      : client.continueSession({ session }, { key: 'again' });
  assert.ok(await killed.isUp());
  await answered(reopen(killed.client));
  const isDead = await Promise.race([killed.ended.then(() => true), isGone(killed.client, tasks)]);
  if (!isDead) await killed.end();
  const next = await TestDaemon.start(stage.data.path);
  // A caller without an answer asks again, with the same key.
  if (reopenings(stage, session) === 0) await answered(reopen(next.client));
  await isGone(next.client, tasks);
  const report = await next.client.sessionReport({ session });
  assert.ok(!isRefusal(report));
  const final = report.report as unknown as SessionFinalReportEvent;
  // One that failed may run again, and once more where its node was killed.
  const findings = [
    ...checkSession(stage.data.path, final, { states: ENDS, runsMax: 4 }),
    ...['first', 'second'].flatMap((id) => (endsOf(tasks, id) === 1 ? [] : [`${id} ended ${endsOf(tasks, id)} times`])),
    ...(reopenings(stage, session) === 1 ? [] : [`reopened ${reopenings(stage, session)} times`]),
    ...tasks.flatMap((task) => processesOf(task).map((pid) => `process ${pid} is left`)),
  ];
  assert.deepEqual(findings, [], `${verb}, ${at}`);
  await next.end();
  return { isKilled: isDead };
}

/** Kills a node while an operator stops a session: it ends as stopped, and leaves no process. */
export async function killStop(at: string): Promise<{ readonly isKilled: boolean }> {
  const stage = await RunStage.alone('session-stop');
  const { root } = stage.repository();
  const tasks = sessionFor(root, {
    busy: { agent: 'works-until-told' },
    waits: { agent: 'completes', after: ['busy'] },
  });
  const session = idOf(tasks);
  const killed = TestDaemon.spawnWith({ BATON_CRASH: at }, stage.data.path);
  assert.ok(await killed.isUp());
  await submit(killed.client, tasks);
  const [busy] = tasks as [AopTask];
  await until(() => processesOf(busy).length > 0);
  await answered(killed.client.stopSession({ session }));
  const isDead = await Promise.race([killed.ended.then(() => true), isGone(killed.client, tasks)]);
  if (!isDead) await killed.end();
  const next = await TestDaemon.start(stage.data.path);
  await answered(next.client.stopSession({ session }));
  await isGone(next.client, tasks);
  const report = await next.client.sessionReport({ session });
  assert.ok(!isRefusal(report));
  const final = report.report as unknown as SessionFinalReportEvent;
  const wanted = { states: { busy: 'ABORTED', waits: 'ABORTED' }, runsMax: 2 };
  assert.deepEqual([...checkSession(stage.data.path, final, wanted), ...processesOf(busy)], [], at);
  await next.end();
  return { isKilled: isDead };
}

/** A node that goes away meanwhile has not answered. */
async function answered(answer: Promise<unknown>): Promise<void> {
  await answer.catch((error: unknown) => {
    if (!(error instanceof NodeFault)) throw error;
  });
}

function reopenings({ data }: RunStage, sessionId: string): number {
  const db = new DatabaseSync(join(data.path, 'ledger.sqlite'), { readOnly: true, timeout: 5_000 });
  const sql = "SELECT count(*) AS n FROM session_facts WHERE session_id = ? AND fact ->> '$.kind' = 'reopened'";
  try {
    return Number(db.prepare(sql).get(sessionId)?.n);
  } finally {
    db.close();
  }
}

/** However often the node was killed, the trail of the session verifies. */
async function auditFindings(dataFolder: string, sessionId: string): Promise<readonly string[]> {
  const { firstBad } = await verifyTrail(sessionFolder(dataFolder, sessionId), signersOf(dataFolder));
  return firstBad === null ? [] : [`the audit trail is broken: ${firstBad.file} ${firstBad.reason}`];
}

function idOf(tasks: readonly AopTask[]): string {
  return tasks[0]?.session.session_id ?? '';
}

async function submit(client: NodeClient, tasks: readonly AopTask[]): Promise<void> {
  const workspace = tasks[0]?.task.environment.workspace_root ?? '';
  const sent = client.submitSession({ text: JSON.stringify(tasks), workspace });
  await answered(sent.then((answer) => assert.ok(!isRefusal(answer), JSON.stringify(answer))));
}

async function isKnown(client: NodeClient, tasks: readonly AopTask[]): Promise<boolean> {
  return !isRefusal(await client.showSession({ session: idOf(tasks) }));
}

async function shown(client: NodeClient, tasks: readonly AopTask[]): Promise<SessionView> {
  const view = await client.showSession({ session: idOf(tasks) });
  assert.ok(!isRefusal(view), JSON.stringify(view));
  return view;
}

/** False once the session is reported; true where the node is gone before. */
async function isGone(client: NodeClient, tasks: readonly AopTask[]): Promise<boolean> {
  const startedMs = performance.now();
  try {
    await until(async () => {
      const view = await client.showSession({ session: idOf(tasks) });
      assert.ok(performance.now() - startedMs < SESSION_MS_MAX, `not over: ${JSON.stringify(view)}`);
      return !isRefusal(view) && view.final_signal !== null;
    });
    return false;
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
    return true;
  }
}

function viewFindings(view: SessionView, report: SessionFinalReportEvent | null): string[] {
  const states = view.tasks.filter(({ task_id, state }) => ENDS[task_id] !== state);
  const totals = JSON.stringify(report?.totals);
  const wanted = JSON.stringify({ tasks: 6, completed: 3, failed: 1, aborted: 0, skipped: 2 });
  return [
    ...states.map(({ task_id, state }) => `${task_id} is ${state}`),
    ...(view.tasks.length === 6 ? [] : [`${view.tasks.length} tasks`]),
    ...(totals === wanted ? [] : [`the report has the totals ${totals}`]),
    ...(report?.cost_summary?.actual_cost_usd === view.cost
      ? []
      : [`the report costs ${JSON.stringify(report?.cost_summary)}`]),
  ];
}

/** Each fact that may be written once, and the sum of what runs have cost. */
function ledgerFindings(stage: RunStage, view: SessionView, sessionId: string): string[] {
  const db = new DatabaseSync(join(stage.data.path, 'ledger.sqlite'), { readOnly: true, timeout: 5_000 });
  try {
    const count = (sql: string) => Number(Object.values(db.prepare(sql).get(sessionId) ?? {})[0] ?? 0);
    const facts = (kind: string) =>
      count(`SELECT count(*) FROM session_facts WHERE session_id = ? AND fact ->> '$.kind' = '${kind}'`);
    const cost = count('SELECT cost_usd FROM sessions WHERE session_id = ?');
    const tasks = count('SELECT count(*) FROM orders WHERE session_id = ?');
    return [
      ...checkLedger(db),
      ...(['submitted', 'reported'].every((kind) => facts(kind) === 1) ? [] : ['submitted or reported more than once']),
      ...(Math.abs(cost - view.cost) < 1e-9 ? [] : [`the ledger has counted $${cost}, the report says $${view.cost}`]),
      ...(tasks === 6 ? [] : [`${tasks} orders`]),
    ];
  } finally {
    db.close();
  }
}

/** An agent whose node was killed may begin once more; one that had ended does not. */
function startFindings(tasks: readonly AopTask[]): string[] {
  return ['first', 'second'].flatMap((id) => {
    const ends = endsOf(tasks, id);
    return ends <= 2 ? [] : [`${id} ended ${ends} times`];
  });
}

/** How often the agent of a task came to its end. */
function endsOf(tasks: readonly AopTask[], id: string): number {
  const root = tasks.find(({ task }) => task.task_id === id)?.task.environment.workspace_root ?? '';
  const file = join(root, `${id}.ends`);
  return existsSync(file) ? readFileSync(file, 'utf8').length : 0;
}
