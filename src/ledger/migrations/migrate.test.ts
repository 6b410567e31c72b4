import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { scratchFolder } from '../../../test/support/data-folder.ts';
import { unpackOldLedger } from '../../../test/support/ledger/old-ledger.ts';
import { firstMigration } from './0001-first.ts';
import { openTreeMigration } from './0002-open-tree.ts';
import { endedTasksMigration } from './0003-ended-tasks.ts';
import { migrate, NEWEST_SCHEMA } from './migrate.ts';

const INSERT = `INSERT INTO tasks (id, uid, title, status, priority, tags, depends_on, open_dependencies, body, metadata,
  created_at, updated_at, last_transition_at, created_by, fence, revision, mirrored_revision, reclaims)
  VALUES (?, ?, 't', 'ready', 2, '[]', '[]', 0, '', '{}', 1, 1, 1, 'operator', 0, 3, ?, 0)`;

test('a ledger of schema 3 keeps its tasks, and which of them the tree is behind on', () => {
  const db = new DatabaseSync(':memory:');
  for (const migration of [firstMigration, openTreeMigration, endedTasksMigration]) db.exec(migration);
  db.exec('PRAGMA user_version = 3');
  db.prepare(INSERT).run('TASK-2026-02-09-001', 'tsk_1', 3);
  db.prepare(INSERT).run('TASK-2026-02-09-002', 'tsk_2', 2);
  migrate(db);
  assert.deepEqual(Object.values(db.prepare('PRAGMA user_version').get() ?? {}), [NEWEST_SCHEMA]);
  const rows = (sql: string) =>
    db
      .prepare(sql)
      .all()
      .map(({ id }) => id);
  assert.deepEqual(rows('SELECT id FROM tasks ORDER BY number'), ['TASK-2026-02-09-001', 'TASK-2026-02-09-002']);
  assert.deepEqual(rows('SELECT task_id AS id FROM unmirrored'), ['TASK-2026-02-09-002']);
  assert.deepEqual(db.prepare('PRAGMA integrity_check').all().length, 1);
  db.close();
});

test('reports of schema 17 that somebody stopped name who it was', () => {
  const db = new DatabaseSync(join(unpackOldLedger(17, scratchFolder('stopped-by')), 'ledger.sqlite'));
  const [given] = db.prepare('SELECT * FROM reports LIMIT 1').all();
  const insert = (table: string, row: Record<string, unknown>) => {
    const names = Object.keys(row);
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    db.prepare(sql).run(...(Object.values(row) as string[]));
  };
  const facts: Readonly<Record<string, object>> = {
    'asked-for': { kind: 'stop-requested', by: 'anna' },
    'node-stopped': { kind: 'ended', end: { kind: 'stopped', by: 'operator' } },
    'checkpoint-failed': { kind: 'ended', end: { kind: 'finished' } },
  };
  for (const [task_id, fact] of Object.entries(facts)) {
    insert('reports', { ...given, task_id, round: 1, verdict: 'aborted', is_skipped: 0 });
    insert('run_facts', { task_id, round: 1, number: 2, fact: JSON.stringify(fact), at: 1 });
  }
  insert('reports', { ...given, task_id: 'failed', round: 1, verdict: 'failed' });
  migrate(db);
  const rows = db
    .prepare("SELECT task_id, stopped_by FROM reports WHERE task_id NOT LIKE 'TASK%' ORDER BY task_id")
    .all();
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [
      ['asked-for', 'anna'],
      ['checkpoint-failed', null],
      ['failed', null],
      ['node-stopped', 'operator'],
    ],
  );
  db.close();
});

test('the file of a migration has the number of its schema', () => {
  const files = readdirSync(import.meta.dirname).filter((file) => /^\d/.test(file));
  const numbers = files.map((file) => Number(file.slice(0, 4))).sort((one, other) => one - other);
  assert.deepEqual(
    numbers,
    Array.from({ length: NEWEST_SCHEMA }, (_, at) => at + 1),
  );
});
