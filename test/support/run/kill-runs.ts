import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClient } from '../../../src/api/node-client.ts';
import { NodeFault } from '../../../src/api/node-fault.ts';
import { verifyReceipt } from '../../../src/checks/receipt.ts';
import type { Fact } from '../../../src/domain/execution/fact.ts';
import { SIGNALS } from '../../../src/domain/order/record-words.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { readJsonText } from '../../../src/protocols/read-json-text.ts';
import { checkLedger } from '../ledger/check-ledger.ts';
import { type AopTask, output, processesOf, type RunStage, type TaskChanges, taskFor, until } from '../run-stage.ts';
import { TestDaemon } from '../test-daemon.ts';
import type { TestRepository } from '../test-repository.ts';

/** When a node is killed: at a point of the code, or so long after it has all orders. */
export type Kill = { readonly at: string } | { readonly afterMs: number };

/** How long after a kill a process of an agent may still be there. */
const LEFT_MS_MAX = 10_000;
const ORDERS_MS_MAX = 40_000;

interface WantedEnd {
  readonly task: AopTask;
  readonly signal: string;
  /** Attempts at most, without those that Baton's death ended. */
  readonly attemptsMax: number;
  /** Violated expectations in its workspace. */
  findings(): string[];
}

let named = 0;

/** Each has words of its own: its task is known by them, also to a node that comes later. */
function orderFor(agent: string, { root }: TestRepository, changes: TaskChanges): AopTask {
  return taskFor(agent, root, { ...changes, task: { objective: `Order ${++named}`, ...changes.task } });
}

/** Four orders at once, in three repositories, whose ends are known whatever happens to the node that carries them. */
function someOrders(stage: RunStage): readonly WantedEnd[] {
  const [plain, spoilt, patient] = [stage.repository(), stage.repository(), stage.repository()];
  const kept = (path: string) => output(path, { rollback_snapshot: { enabled: true } });
  const retries = (max_retries: number) => ({ execution_policy: { max_retries, retry_backoff_seconds: [0] } });
  const own = { task: { expected_outputs: [output('made/a.txt'), output('b.txt')] } };
  return [
    {
      task: orderFor('completes', plain, own),
      signal: 'SUCCESS',
      attemptsMax: 1,
      findings: () => [],
    },
    {
      // A second run in the same repository: it has a worktree of its own.
      task: orderFor('forks-a-daemon', plain, { task: { expected_outputs: [output('readme.md')] } }),
      signal: 'SUCCESS',
      attemptsMax: 1,
      findings: () => [],
    },
    {
      task: orderFor('spoils-outputs', spoilt, {
        task: { expected_outputs: [kept('readme.md'), kept('new.txt')] },
        ...retries(1),
      }),
      signal: 'FAILURE',
      attemptsMax: 2,
      findings: () => notAsBefore(spoilt),
    },
    {
      task: orderFor('fails-twice', patient, { task: { expected_outputs: [output('c.txt')] }, ...retries(2) }),
      signal: 'SUCCESS',
      attemptsMax: 3,
      findings: () => (patient.read('c.txt') === 'c.txt\n' ? [] : ['c.txt is not what was made']),
    },
  ];
}

function notAsBefore(repository: TestRepository): string[] {
  const names = Object.keys(repository.files()).join();
  const mode = statSync(join(repository.root, 'readme.md')).mode & 0o777;
  return [
    names === 'readme.md' ? [] : [`files: ${names}`],
    repository.read('readme.md') === 'one\ntwo\nthree\n' ? [] : ['readme.md is not as before'],
    mode === 0o644 ? [] : [`readme.md has the mode ${mode.toString(8)}`],
  ].flat();
}

/** Whether it was killed at all; what orders had last as a fact when it was. */
export interface KilledRuns {
  readonly isKilled: boolean;
  readonly lastFacts: readonly Fact['kind'][];
}

/** Kills a node in the middle of several orders, and holds what the next one makes of them to what was promised. */
export async function killRuns(stage: RunStage, kill: Kill): Promise<KilledRuns> {
  const orders = someOrders(stage);
  const environment: Record<string, string> = 'at' in kill ? { BATON_CRASH: kill.at } : {};
  const first = TestDaemon.spawnWith(environment, stage.data.path);
  const isUp = await first.isUp();
  if (isUp) await submitAll(stage, first.client, orders);
  if (isUp && 'afterMs' in kill) {
    await sleep(kill.afterMs);
    await first.end('SIGKILL');
  }
  const isDead = await Promise.race([first.ended.then(() => true), isUp ? overAll(stage, first.client, orders) : true]);
  const lastFacts = specOf(stage, orders).flatMap((facts) => facts.at(-1)?.kind ?? []);
  await assertGone(orders);
  if (isDead === false) await first.end();
  const next = await TestDaemon.start(stage.data.path);
  await submitAll(stage, next.client, orders);
  await overAll(stage, next.client, orders);
  await next.client.treeSettled();
  assert.deepEqual(findingsOf(stage, orders), []);
  await assertGone(orders);
  await next.end();
  return { isKilled: isDead !== false, lastFacts };
}

/** Those that are not known yet; a node that goes away meanwhile has not answered. */
async function submitAll(stage: RunStage, client: NodeClient, orders: readonly WantedEnd[]): Promise<void> {
  try {
    const known = tasksOf(stage, orders);
    for (const [at, { task }] of orders.entries()) {
      if (known[at] !== undefined) continue;
      const workspace = task.task.environment.workspace_root;
      const answer = await client.submitOrder({ text: JSON.stringify(task), workspace });
      assert.ok(!isRefusal(answer), JSON.stringify(answer));
    }
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
  }
}

/** By the title, which is the order's own; undefined for one that is not known. */
function tasksOf(stage: RunStage, orders: readonly WantedEnd[]): (string | undefined)[] {
  const idOf = (db: DatabaseSync, title: string) => db.prepare('SELECT id FROM tasks WHERE title = ?').get(title)?.id;
  return open(stage, (db) => orders.map(({ task }) => idOf(db, task.task.objective) as string | undefined));
}

/** False once all are reported; true where the node is gone before. */
async function overAll(stage: RunStage, client: NodeClient, orders: readonly WantedEnd[]): Promise<boolean> {
  const startedMs = performance.now();
  const isOver = async () => {
    const ids = tasksOf(stage, orders);
    const reports = await Promise.all(ids.map((id) => (id === undefined ? null : client.orderReport({ task: id }))));
    const states = reports.map((report) => (report && 'task' in report ? report.task.status : null));
    assert.ok(performance.now() - startedMs < ORDERS_MS_MAX, `not over: ${states.join()}`);
    return reports.every((report) => report !== null && !isRefusal(report) && report.isOver);
  };
  try {
    await until(isOver);
    return false;
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
    return true;
  }
}

async function assertGone(orders: readonly WantedEnd[]): Promise<void> {
  const startedMs = performance.now();
  const left = () => orders.flatMap(({ task }) => processesOf(task));
  await until(() => left().length === 0 || performance.now() - startedMs > LEFT_MS_MAX);
  assert.deepEqual(left(), [], 'processes of an agent');
}

function open<Found>(stage: RunStage, look: (db: DatabaseSync) => Found): Found {
  const db = new DatabaseSync(join(stage.data.path, 'ledger.sqlite'), { readOnly: true, timeout: 5_000 });
  try {
    return look(db);
  } finally {
    db.close();
  }
}

function specOf(stage: RunStage, orders: readonly WantedEnd[]): Fact[][] {
  const sql =
    'SELECT fact FROM run_facts JOIN tasks ON tasks.id = run_facts.task_id WHERE tasks.title = ? ORDER BY run_facts.number';
  return open(stage, (db) =>
    orders.map(({ task }) =>
      db
        .prepare(sql)
        .all(task.task.objective)
        .map(({ fact }) => JSON.parse(String(fact)) as Fact),
    ),
  );
}

function findingsOf(stage: RunStage, orders: readonly WantedEnd[]): readonly string[] {
  const facts = specOf(stage, orders);
  const ids = tasksOf(stage, orders);
  const own = orders.flatMap((order, at) =>
    [...factFindings(order, facts[at] ?? []), ...answerFindings(stage, order, ids[at] ?? ''), ...order.findings()].map(
      (finding) => `${order.task.target.agent_name}: ${finding}`,
    ),
  );
  return [...own, ...open(stage, checkLedger)];
}

const ONCE: readonly Fact['kind'][] = ['admitted', 'snapshotted', 'rolled-back', 'settled', 'reported'];

function factFindings({ signal, attemptsMax }: WantedEnd, facts: readonly Fact[]): string[] {
  const of = (kind: Fact['kind']) => facts.filter((fact) => fact.kind === kind).length;
  const often = ONCE.filter((kind) => of(kind) > 1).map((kind) => `${kind} ${of(kind)} times`);
  const counted = facts.filter((fact) => fact.kind === 'ended' && fact.end.kind !== 'lost').length;
  const settled = facts.find((fact) => fact.kind === 'settled');
  return [
    often,
    of('reported') === 1 ? [] : ['was not reported'],
    counted <= attemptsMax ? [] : [`${counted} attempts`],
    settled && SIGNALS[settled.outcome.verdict] === signal ? [] : [`ended as ${JSON.stringify(settled?.outcome)}`],
  ].flat();
}

function answerFindings({ data }: RunStage, { signal }: WantedEnd, id: string): string[] {
  const { task_status: status } = data.readJson<{ task_status: { final_signal: string } }>('runs', id, 'response.json');
  const verdict = verifyReceipt(data.read('runs', id, 'receipt.json'), readJsonText);
  return [
    status.final_signal === signal ? [] : [`answered ${status.final_signal}`],
    verdict.verdict === 'valid' ? [] : [`its receipt is ${JSON.stringify(verdict)}`],
  ].flat();
}
