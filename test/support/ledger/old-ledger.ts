import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { ROOT } from '../run-baton.ts';

const FIXTURES = join(ROOT, 'test/fixtures/ledgers');
/** `make-ledger.mjs` put everything below this folder. */
const MADE_IN = '/var/tmp/baton-fixture';
/** Orders remember the command of their agent. */
const PROGRAMS: readonly (readonly [from: string, to: string])[] = [
  [`${MADE_IN}/checkout`, ROOT],
  [`${MADE_IN}/agents/`, `${ROOT}/test/fixtures/agents/`],
];
/** Columns that hold paths of the folder a fixture was made in. */
const PATHS: readonly (readonly [table: string, column: string])[] = [
  ['meta', 'value'],
  ['events', 'payload'],
  ['orders', 'message'],
  ['orders', 'settings'],
  ['run_facts', 'fact'],
];

export type Rows = Readonly<Record<string, readonly object[]>>;

/** The schema of every fixture ledger, oldest first. */
export function oldSchemas(): number[] {
  return readdirSync(FIXTURES)
    .flatMap((file) => /^schema-(\d+)\.sqlite\.gz$/.exec(file)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** Unpacks a fixture ledger into `folder`/data and moves its paths into `folder`. */
export function unpackOldLedger(schema: number, folder: string): string {
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const file = join(data, 'ledger.sqlite');
  writeFileSync(file, gunzipSync(readFileSync(join(FIXTURES, `schema-${schema}.sqlite.gz`))), { mode: 0o600 });
  const db = new DatabaseSync(file);
  for (const [table, column] of PATHS) {
    if (!columnsOf(db, table).includes(column)) continue;
    for (const [from, to] of [...PROGRAMS, [MADE_IN, folder] as const]) {
      db.prepare(`UPDATE ${table} SET ${column} = replace(${column}, ?, ?)`).run(from, to);
    }
  }
  db.close();
  return data;
}

function columnsOf(db: DatabaseSync, table: string): string[] {
  return db
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name));
}

function rowsOf(db: DatabaseSync, table: string, columns: readonly string[]): object[] {
  const rows = db.prepare(`SELECT ${columns.join(', ')} FROM ${table} ORDER BY 1, 2`).all();
  return rows.map((row) => ({ ...row }));
}

/** The rows of these tables, with the given columns or all that the table has. */
export function readTables(file: string, tables: readonly string[], like?: Rows): Rows {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return Object.fromEntries(
      tables.map((table) => {
        const columns = like ? Object.keys(like[table]?.[0] ?? {}) : columnsOf(db, table);
        return [table, columns.length === 0 ? [] : rowsOf(db, table, columns)];
      }),
    );
  } finally {
    db.close();
  }
}
