import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { NodeClient } from '../../src/api/node-client.ts';
import { NEWEST_SCHEMA } from '../../src/ledger/migrations/migrate.ts';
import { DataFolder, scratchFolder } from '../support/data-folder.ts';
import { programOf } from '../support/fixture-agents.ts';
import { checkLedger } from '../support/ledger/check-ledger.ts';
import { oldSchemas, readTables, unpackOldLedger } from '../support/ledger/old-ledger.ts';
import { until } from '../support/run-stage.ts';
import { taken } from '../support/taken.ts';
import { TestDaemon } from '../support/test-daemon.ts';
import { openTestLedger } from '../support/test-ledger.ts';

const TABLES = ['tasks', 'runs', 'events', 'dependencies', 'handoffs', 'agent_logs', 'answers', 'incidents'] as const;
const FIRST_WITH_ORDERS = 5;
const ORDERS = ['done', 'three-attempts', 'retried', 'waiting', 'killed'];
const folder = scratchFolder('old-ledgers');

test('there is a fixture ledger of every schema before the newest', () => {
  const before = Array.from({ length: NEWEST_SCHEMA - 1 }, (_, at) => at + 1);
  assert.deepEqual(
    before.filter((schema) => !oldSchemas().includes(schema)),
    [],
  );
});

for (const schema of oldSchemas()) {
  test(`a ledger of schema ${schema} keeps its tasks, runs and events`, () => {
    const data = unpackOldLedger(schema, join(folder, `kept-${schema}`));
    const file = join(data, 'ledger.sqlite');
    const before = readTables(file, TABLES);
    assert.ok((before.tasks?.length ?? 0) >= 8 && (before.events?.length ?? 0) > 20 && before.handoffs?.length === 1);
    const opened = openTestLedger(data);
    opened.ledger.close();
    const dropped = new Set(['mirrored_revision']);
    const known = Object.fromEntries(Object.entries(before).map(([name, rows]) => [name, rows.map(without(dropped))]));
    assert.deepEqual(readTables(file, TABLES, known), known);
    const db = new DatabaseSync(file, { readOnly: true });
    assert.deepEqual(Object.values(db.prepare('PRAGMA user_version').get() ?? {}), [NEWEST_SCHEMA]);
    assert.deepEqual(checkLedger(db), []);
    assert.deepEqual(unnamedRuns(db), []);
    assert.deepEqual(unnamedSessions(db), []);
    db.close();
  });
}

/** Events whose run is known and not in its column: those that say it, and the moves in and out of in-progress. */
function unnamedRuns(db: DatabaseSync): object[] {
  const sql = `SELECT seq, type FROM events WHERE run_id IS NOT payload ->> '$.run' AND payload ->> '$.run' IS NOT NULL
    UNION ALL SELECT seq, type FROM events WHERE type = 'task.transitioned' AND run_id IS NULL
      AND (payload ->> '$.to' = 'in-progress' OR payload ->> '$.from' = 'in-progress')`;
  return db.prepare(sql).all();
}

function unnamedSessions(db: DatabaseSync): object[] {
  const sql = `SELECT seq, type FROM events JOIN orders USING (task_id)
    WHERE events.session_id IS NOT orders.session_id`;
  return db.prepare(sql).all();
}

function without(names: ReadonlySet<string>) {
  return (row: object) => Object.fromEntries(Object.entries(row).filter(([name]) => !names.has(name)));
}

for (const schema of oldSchemas()) {
  const orders = schema >= FIRST_WITH_ORDERS ? ', and open orders run to their RESPONSE' : '';
  test(`a task of a ledger of schema ${schema} is claimed, reported and reviewed${orders}`, {
    timeout: 120_000,
  }, async () => {
    const at = join(folder, `lived-${schema}`);
    const data = await trustedFolder(schema, at);
    for (const name of ['waiting', 'killed']) workspace(join(at, name));
    writeConfig(data);
    const daemon = await TestDaemon.start(data.path);
    await claimAndReport(daemon.client);
    if (orders !== '') await assertOrdersEnd(daemon);
    await daemon.end();
  });
}

async function claimAndReport(client: NodeClient): Promise<void> {
  const { task, run } = taken(await client.claimTask({ task: 'can be claimed', agent: 'swe', run: null }));
  assert.equal((await client.send({ text: completionOf(task.id) })).verdict, 'accepted');
  taken(await client.endTask({ task: task.id, agent: 'swe', run: run.id }));
  assert.equal(taken(await client.showTask({ task: task.id })).status, 'review');
  const { events } = taken(await client.listEvents({ after: 0, limit: 1000, task: task.id }));
  assert.deepEqual(
    events.slice(-2).map(({ type }) => type),
    ['run.ended', 'task.transitioned'],
  );
}

function completionOf(taskId: string): string {
  const tests = { total: 1, passed: 1, failed: 0 };
  const payload = { outcome: 'done', summaryRef: 's.md', deliverables: [], tests, blockers: [], notes: '' };
  const route = { taskId, fromAgent: 'swe', toAgent: 'dispatcher', sentAt: '2026-02-09T21:30:00.000Z' };
  return JSON.stringify({ protocol: 'aof', version: 1, type: 'completion.report', ...route, payload });
}

async function assertOrdersEnd(daemon: TestDaemon): Promise<void> {
  const signals: [string, string | undefined][] = [];
  for (const name of ORDERS) signals.push([name, await finalSignal(daemon, `order ${name}`)]);
  assert.deepEqual(signals, [
    ['done', 'SUCCESS'],
    ['three-attempts', 'SUCCESS'],
    ['retried', 'FAILURE'],
    ['waiting', 'SUCCESS'],
    ['killed', 'SUCCESS'],
  ]);
}

async function trustedFolder(schema: number, at: string): Promise<DataFolder> {
  const data = new DataFolder(unpackOldLedger(schema, at));
  assert.equal((await data.run(['init', '--trust'])).status, 0);
  return data;
}

/** The signal of the RESPONSE that the order ends with. */
async function finalSignal(daemon: TestDaemon, task: string): Promise<string | undefined> {
  let signal: string | undefined;
  await until(async () => {
    const report = await daemon.client.orderReport({ task });
    if ('kind' in report) throw new Error(report.message);
    signal = report.response === null ? undefined : String(report.signal);
    return report.isOver;
  });
  return signal;
}

/** With the file that `works-until-told` waits for. */
function workspace(path: string): void {
  mkdirSync(path);
  writeFileSync(join(path, 'go'), '');
}

function writeConfig(data: DataFolder): void {
  const entries = ['works-until-told'].map((name) => {
    const command = [process.execPath, programOf(name)];
    return [name, { driver: 'process', command, provider: 'OTHER', model: name }];
  });
  writeFileSync(join(data.path, 'config.yaml'), JSON.stringify({ agents: Object.fromEntries(entries) }));
}
