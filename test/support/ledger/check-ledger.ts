import type { DatabaseSync } from 'node:sqlite';
import { canMove, TASK_STATUSES, type TaskStatus } from '../../../src/domain/task/task-lifecycle.ts';

type Row = Record<string, unknown>;

/**
 * Invariants of every ledger, whatever happened to it: the file is intact, the log has no gap and replays to the
 * very statuses, runs and results that stand in the tables, and nobody holds what another holds.
 */
export function checkLedger(db: DatabaseSync): string[] {
  const all = (sql: string) => db.prepare(sql).all() as Row[];
  const damage = all('PRAGMA integrity_check').map((row) => String(row.integrity_check));
  if (damage[0] !== 'ok') return damage.map((finding) => `integrity: ${finding}`);
  const ledger: Tables = {
    tasks: new Map(all('SELECT * FROM tasks').map((row) => [String(row.id), row])),
    runs: all('SELECT * FROM runs ORDER BY task_id, fence'),
    events: all('SELECT * FROM events ORDER BY seq').map((row) => ({
      ...row,
      payload: parsed(row.payload),
    })),
    dependencies: all('SELECT * FROM dependencies'),
    handoffs: all('SELECT * FROM handoffs'),
  };
  return [...seqFindings(ledger), ...replayFindings(ledger), ...runFindings(ledger), ...waitFindings(ledger)];
}

/** Empty where damage made it something else than JSON: what depends on it will be found missing. */
function parsed(json: unknown): Row {
  try {
    return JSON.parse(String(json)) as Row;
  } catch {
    // Told by what is missing.
    return {};
  }
}

function isLegal(from: unknown, to: unknown): boolean {
  return TASK_STATUSES.includes(from as TaskStatus) && canMove(from as TaskStatus, to as TaskStatus);
}

interface Tables {
  readonly tasks: ReadonlyMap<string, Row>;
  readonly runs: readonly Row[];
  readonly events: readonly (Row & { payload?: Row })[];
  readonly dependencies: readonly Row[];
  readonly handoffs: readonly Row[];
}

function seqFindings({ events }: Tables): string[] {
  const hole = events.findIndex((event, at) => event.seq !== at + 1);
  return hole < 0 ? [] : [`the log has a hole before ${events[hole]?.seq}`];
}

function replayFindings({ tasks, events }: Tables): string[] {
  const findings: string[] = [];
  const replayed = new Map<string, unknown>();
  for (const { type, task_id, payload = {}, seq } of events) {
    const id = String(task_id);
    if (type === 'task.created') {
      if (replayed.has(id)) findings.push(`${id} is created twice`);
      replayed.set(id, 'backlog');
    }
    if (type !== 'task.transitioned' && type !== 'task.rewound') continue;
    const from = replayed.get(id);
    if (from !== payload.from) findings.push(`${id} at ${seq}: was ${from}, the event says ${payload.from}`);
    // A rewind is a return, which the table does not judge.
    if (type === 'task.transitioned' && !isLegal(payload.from, payload.to))
      findings.push(`${id} at ${seq}: ${payload.from} to ${payload.to} is not legal`);
    replayed.set(id, payload.to);
  }
  for (const [id, task] of tasks) {
    if (replayed.get(id) !== task.status)
      findings.push(`${id} is ${task.status}, the log says ${replayed.get(id) ?? 'nothing'}`);
  }
  for (const id of replayed.keys()) if (!tasks.has(id)) findings.push(`${id} stands in the log only`);
  return findings;
}

function runFindings({ tasks, runs: allRuns, events }: Tables): string[] {
  const counts = countsByRun(events);
  const findings = allRuns.flatMap((run) => [
    ...(tasks.has(String(run.task_id)) ? [] : [`${run.id} has no task`]),
    ...oneRunFindings(run, counts),
  ]);
  const byTask = Map.groupBy(allRuns, (run) => run.task_id);
  for (const [id, task] of tasks) {
    const runs = byTask.get(id) ?? [];
    const live = runs.filter((run) => run.status === 'running');
    if (live.length > 1) findings.push(`${id} has ${live.length} live runs`);
    if (task.fence !== runs.length || runs.some((run, at) => run.fence !== at + 1))
      findings.push(`${id} has fence ${task.fence} and the runs ${runs.map((run) => run.fence)}`);
    if (live.length === 1 && task.run_id !== live[0]?.id) findings.push(`${id} does not know its live run`);
    if (live.length === 0 && task.run_id !== null) findings.push(`${id} is held by ${task.run_id}, which is over`);
    if (task.status === 'in-progress' && live.length === 0) findings.push(`${id} runs without a run`);
  }
  return findings;
}

/** How many events of a type a run has. */
function countsByRun(events: Tables['events']): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { type, task_id, payload } of events) {
    const key = `${type} ${task_id} ${payload?.run}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function oneRunFindings(run: Row, counts: ReadonlyMap<string, number>): string[] {
  const count = (type: string) => counts.get(`${type} ${run.task_id} ${run.id}`) ?? 0;
  const findings: string[] = [];
  if (count('task.claimed') !== 1) findings.push(`${run.id} has ${count('task.claimed')} task.claimed`);
  if (count('run.ended') !== (run.status === 'running' ? 0 : 1))
    findings.push(`${run.id} is ${run.status} with ${count('run.ended')} run.ended`);
  // Of an order Baton itself finds out what came of it; the event is about the order, not about the run.
  const isSettled = counts.has(`order.settled ${run.task_id} undefined`);
  const isTold = run.result !== null;
  if (isTold !== count('task.completed') > 0 && !(isTold && isSettled))
    findings.push(`${run.id} has ${count('task.completed')} task.completed and the result ${run.result}`);
  return findings;
}

function waitFindings({ tasks, events, dependencies, handoffs }: Tables): string[] {
  const findings: string[] = [];
  const rowsByTask = Map.groupBy(dependencies, (row) => row.task_id);
  const reviewed = new Set(events.filter(({ payload }) => payload?.to === 'review').map(({ task_id }) => task_id));
  const handed = new Set(events.filter(({ type }) => type === 'delegation.requested').map(({ task_id }) => task_id));
  for (const [id, task] of tasks) {
    const needs = Object.values(parsed(task.depends_on)) as string[];
    const rows = (rowsByTask.get(id) ?? []).map((row) => row.needs);
    // An order of the same session does not wait any more for a task that came to review: its row is gone.
    const isReleased = (need: string) =>
      !rows.includes(need) && reviewed.has(need) && tasks.get(need)?.session_id === task.session_id;
    const open = needs.filter((need) => tasks.get(need)?.status !== 'done' && !isReleased(need)).length;
    if (task.open_dependencies !== open)
      findings.push(`${id} waits for ${open}, its row says ${task.open_dependencies}`);
    const awaited = needs.filter((need) => !isReleased(need));
    if (rows.length !== awaited.length || awaited.some((need) => !rows.includes(need)))
      findings.push(`${id} depends on ${needs}, its rows say ${rows}`);
  }
  for (const { task_id } of handoffs) {
    if (!handed.has(task_id)) findings.push(`${task_id} was handed down without an event`);
  }
  return findings;
}
