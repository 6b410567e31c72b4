import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openConnection } from '../../src/ledger/connection.ts';
import { figureOf } from '../contest/call-concurrently.ts';
import type { Figure, Round } from '../contest/contestant.ts';
import { RECORDING, type RecordedLives, type RecordedWrite } from './record-writes.ts';

/**
 * The upper bound of node:sqlite: the statements of the recording, prepared once, with values made beforehand, in
 * the same transactions, into the same tables on a connection with the same settings. No reads, no decisions, no waiting.
 */
export async function measure({ lives, folder }: Round): Promise<Figure> {
  const { statements, batches, firstTimedBatch } = readRecording(join(folder, '..', RECORDING));
  mkdirSync(folder, { recursive: true });
  const db = openConnection(join(folder, 'ledger.db'));
  const play = player(db, statements);
  for (const batch of batches.slice(0, firstTimedBatch)) play(batch);
  const rest = batches.slice(firstTimedBatch);
  const figure = await figureOf(lives, async () => {
    for (const batch of rest) play(batch);
  });
  db.close();
  return figure;
}

function player(db: DatabaseSync, statements: readonly string[]): (batch: readonly RecordedWrite[]) => void {
  const prepared = statements.map((sql) => db.prepare(sql));
  return (batch) => {
    db.exec('BEGIN IMMEDIATE');
    for (const [statement, values] of batch) prepared[statement]?.run(...values);
    db.exec('COMMIT');
  };
}

function readRecording(file: string): RecordedLives {
  return JSON.parse(readFileSync(file, 'utf8')) as RecordedLives;
}
