import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SessionFinalReportEvent } from '../../../src/protocols/aop/schema/events.ts';
import { checkLedger } from '../ledger/check-ledger.ts';

/** The expected end of a session. */
export interface WantedSession {
  /** The state of every task, by its task_id. */
  readonly states: Readonly<Record<string, string>>;
  /** Runs that a task may have had. */
  readonly runsMax: number;
  /** Leaves the checks of the whole ledger out, where a caller makes them once for several sessions. */
  readonly isLedgerChecked?: boolean;
}

/**
 * Compares the final report of a session with what is known about every task, with the rows of the ledger, and with the files of its
 * audit trail. It reads rows and files itself: nothing of Baton's own code that made them judges them.
 */
export function checkSession(dataFolder: string, report: SessionFinalReportEvent, wanted: WantedSession): string[] {
  const db = new DatabaseSync(join(dataFolder, 'ledger.sqlite'), { readOnly: true, timeout: 5_000 });
  try {
    const findings = [
      ...stateFindings(report, wanted),
      ...rowFindings(db, report, wanted),
      ...trailFindings(dataFolder, report),
      ...(wanted.isLedgerChecked ? [] : checkLedger(db)),
    ];
    return findings.map((finding) => `${report.session_id}: ${finding}`);
  } finally {
    db.close();
  }
}

function stateFindings(report: SessionFinalReportEvent, { states }: WantedSession): string[] {
  const { totals } = report;
  const tasks = report.tasks ?? [];
  const told = new Map(tasks.map(({ task_id, state }) => [String(task_id), String(state)]));
  const count = (state: string) => Object.values(states).filter((each) => each === state).length;
  const sums = {
    tasks: Object.keys(states).length,
    completed: count('COMPLETED'),
    failed: count('FAILED'),
    aborted: count('ABORTED'),
    skipped: count('SKIPPED'),
  };
  return [
    ...Object.entries(states).flatMap(([id, state]) =>
      told.get(id) === state ? [] : [`${id} is ${told.get(id) ?? 'missing'}, not ${state}`],
    ),
    ...(told.size === tasks.length && told.size === sums.tasks ? [] : [`the report has ${tasks.length} tasks`]),
    ...Object.entries(sums).flatMap(([name, sum]) => {
      const said = (totals as Readonly<Record<string, unknown>> | undefined)?.[name];
      return said === sum ? [] : [`totals.${name} is ${said}, not ${sum}`];
    }),
  ];
}

function rowFindings(db: DatabaseSync, report: SessionFinalReportEvent, { states, runsMax }: WantedSession): string[] {
  const id = report.session_id ?? '';
  const rows = (sql: string) => db.prepare(sql).all(id) as Record<string, unknown>[];
  const tasks = rows('SELECT sender_task_id AS name, task_id AS task FROM session_tasks WHERE session_id = ?');
  const runs = rows(`SELECT t.sender_task_id AS name, count(*) AS runs, sum(r.status = 'running') AS live
    FROM session_tasks t JOIN runs r ON r.task_id = t.task_id WHERE t.session_id = ? GROUP BY 1`);
  const [session] = rows('SELECT cost_usd AS cost, is_open AS open FROM sessions WHERE session_id = ?');
  const [facts] = rows(`SELECT count(*) AS reports FROM session_facts
    WHERE session_id = ? AND fact ->> '$.kind' = 'reported'`);
  const attempts = new Map((report.tasks ?? []).map((task) => [String(task.task_id), Number(task.attempts)]));
  return [
    ...(tasks.length === Object.keys(states).length ? [] : [`the ledger has ${tasks.length} tasks`]),
    ...(session?.open === 0 && Number(facts?.reports) >= 1 ? [] : ['the ledger says that it is open']),
    ...(session?.cost === report.cost_summary?.actual_cost_usd ? [] : [`the ledger has counted $${session?.cost}`]),
    ...runs.flatMap(({ name, runs: count, live }) => [
      ...(Number(count) <= runsMax ? [] : [`${name} has run ${count} times`]),
      ...(Number(live) === 0 ? [] : [`${name} has a live run`]),
      ...((attempts.get(String(name)) ?? 0) >= 1 ? [] : [`${name} has run, and the report counts no attempt`]),
    ]),
    ...Object.keys(states).flatMap((name) => {
      const hasRun = runs.some((run) => run.name === name);
      return states[name] === 'COMPLETED' && !hasRun ? [`${name} is completed and has no run`] : [];
    }),
  ];
}

/** With nothing but the files: each has the hash of the one before, and the last that of the report. */
function trailFindings(dataFolder: string, { audit_trail: trail }: SessionFinalReportEvent): string[] {
  const folder = join(dataFolder, String(trail?.storage_path));
  if (!trail || !existsSync(folder)) return ['it has no audit trail'];
  const files = readdirSync(folder).sort();
  const texts = files.map((file) => readFileSync(join(folder, file)));
  const hashes = texts.map((text) => createHash('sha256').update(text).digest('hex'));
  const links = texts.map(
    (text) => (JSON.parse(text.toString('utf8')) as { previous_sha256: unknown }).previous_sha256,
  );
  const broken = links.findIndex((link, at) => link !== (at === 0 ? null : hashes[at - 1]));
  return [
    ...(broken === -1 ? [] : [`${files[broken]} of the trail does not fit`]),
    ...(trail.records === files.length && trail.sha256 === hashes.at(-1) ? [] : ['the trail has another head']),
  ];
}
