import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { callConcurrently } from '../contest/call-concurrently.ts';
import type { Figure, Round } from '../contest/contestant.ts';
import { openLedger } from './open-ledger.ts';
import { playLife } from './play-life.ts';

/** One statement that wrote: its SQL as a place in `statements`, and its values. */
export type RecordedWrite = readonly [statement: number, values: readonly SQLInputValue[]];

export interface RecordedLives {
  readonly statements: readonly string[];
  /** One entry a transaction, in order. */
  readonly batches: ReadonlyArray<readonly RecordedWrite[]>;
  /** The first batch after the warm-up. */
  readonly firstTimedBatch: number;
}

export const RECORDING = 'recorded-lives.json';

/**
 * Writes down every statement that Baton's lives write with, and where each transaction ends, so that the raw baseline
 * writes the same rows in the same batches, whatever Baton's operations come to write.
 */
export async function record({ lives, warmUpLives, folder }: Round): Promise<Figure> {
  const statements: string[] = [];
  const batches: RecordedWrite[][] = [];
  let open: RecordedWrite[] | null = null;
  watchDatabase({
    onExec: (sql) => {
      if (sql.startsWith('BEGIN')) open = [];
      if (sql === 'COMMIT' && open) batches.push(open);
      if (sql === 'COMMIT' || sql === 'ROLLBACK') open = null;
    },
    onWrite: (sql, values) => {
      const known = statements.indexOf(sql);
      open?.push([known === -1 ? statements.push(sql) - 1 : known, values]);
    },
  });
  const ledger = openLedger(folder);
  batches.length = 0;
  await callConcurrently(warmUpLives, () => playLife(ledger));
  const firstTimedBatch = batches.length;
  await callConcurrently(lives, () => playLife(ledger));
  ledger.close();
  const recorded: RecordedLives = { statements, batches, firstTimedBatch };
  writeFileSync(join(folder, RECORDING), JSON.stringify(recorded));
  const writes = batches.slice(firstTimedBatch).reduce((sum, batch) => sum + batch.length, 0);
  const commits = batches.length - firstTimedBatch;
  return { livesPerSecond: 0, extra: { writesPerLife: writes / lives, livesPerCommit: lives / commits } };
}

interface Watcher {
  onExec(sql: string): void;
  onWrite(sql: string, values: readonly SQLInputValue[]): void;
}

function watchDatabase(watcher: Watcher): void {
  const { exec, prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    exec.call(this, sql);
    watcher.onExec(sql);
  };
  DatabaseSync.prototype.prepare = function (sql, ...rest) {
    const statement = prepare.call(this, sql, ...rest);
    if (!/^\s*(SELECT|PRAGMA)/i.test(sql)) watchStatement(statement, (values) => watcher.onWrite(sql, values));
    return statement;
  };
}

function watchStatement(statement: StatementSync, onCall: (values: readonly SQLInputValue[]) => void): void {
  for (const way of ['run', 'get', 'all'] as const) {
    const call = statement[way].bind(statement) as unknown as (...values: SQLInputValue[]) => never;
    statement[way] = (...values: unknown[]) => {
      onCall(values as SQLInputValue[]);
      return call(...(values as SQLInputValue[]));
    };
  }
}
