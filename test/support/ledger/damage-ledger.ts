import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LedgerFault } from '../../../src/ledger/fault.ts';
import { type Random, randomOf, SEED } from '../seed.ts';
import { TaskLife } from '../task/task-life.ts';
import { openTestLedger, suiteScratch } from '../test-ledger.ts';
import { checkLedger } from './check-ledger.ts';

const PAGE_BYTES = 8_192;
const SUFFIXES = ['', '-wal'] as const;

export type Damaged = 'ledger' | 'log';

/** How bytes go bad between two starts. */
const DAMAGES: Readonly<Record<string, (bytes: Buffer, random: Random) => Buffer>> = {
  'a bit flips': (bytes, random) => {
    const at = random(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    return bytes;
  },
  'a page is zero': (bytes, random) => bytes.fill(0, ...pageAt(bytes, random)),
  'the end is missing': (bytes, random) => bytes.subarray(0, random(bytes.length)),
  'pages at the end are missing': (bytes, random) => bytes.subarray(0, pageAt(bytes, random)[0]),
};
export const KINDS = Object.keys(DAMAGES);

function pageAt(bytes: Buffer, random: Random): [number, number] {
  const page = random(Math.ceil(bytes.length / PAGE_BYTES));
  return [page * PAGE_BYTES, (page + 1) * PAGE_BYTES];
}

/** A ledger with some lives in it, as a process leaves it that was killed: with a log. */
export async function soundLedger(): Promise<{ folder: string; tasks: number; events: number }> {
  const life = await TaskLife.open();
  for (let at = 0; at < 60; at++) {
    const { id } = await life.claimed({ title: `task ${at}`, body: 'what is to be done. '.repeat(at) });
    await life.report(id, 'done');
    await life.end(id);
    if (at === 40) life.at.reopen();
  }
  const folder = mkdtempSync(join(suiteScratch(), 'sound-'));
  for (const suffix of SUFFIXES) copyFileSync(`${life.at.file}${suffix}`, join(folder, `ledger.sqlite${suffix}`));
  const count = (table: string) => Number(life.at.ledger.read.one(`SELECT count(*) AS rows FROM ${table}`)?.rows);
  const counts = { tasks: count('tasks'), events: count('events') };
  life.at.ledger.close();
  return { folder, ...counts };
}

export interface Opened {
  readonly isRefused: boolean;
  readonly tasks: number;
  readonly events: number;
  readonly findings: readonly string[];
}

/** Damages one file of a copy, opens it, and looks: what was refused must still be there, byte for byte. */
export function openDamaged(
  sound: string,
  target: Damaged,
  { kind, number }: { kind: string; number: number },
): Opened {
  const folder = mkdtempSync(join(suiteScratch(), 'damaged-'));
  const path = (suffix: string) => join(folder, `ledger.sqlite${suffix}`);
  for (const suffix of SUFFIXES) copyFileSync(join(sound, `ledger.sqlite${suffix}`), path(suffix));
  const hit = path(target === 'log' ? '-wal' : '');
  writeFileSync(hit, DAMAGES[kind]?.(readFileSync(hit), randomOf(SEED, number)) ?? assert.fail(kind));
  const before = SUFFIXES.map((suffix) => readFileSync(path(suffix)));
  try {
    const { ledger } = openTestLedger(folder);
    const count = (table: string) => Number(ledger.read.one(`SELECT count(*) AS rows FROM ${table}`)?.rows);
    const opened = {
      isRefused: false,
      tasks: count('tasks'),
      events: count('events'),
      findings: checkLedger(ledger.database),
    };
    ledger.close();
    return opened;
  } catch (error) {
    assert.ok(error instanceof LedgerFault, String(error));
    assert.match(error.message, /damaged; it was left as it is|no Baton ledger/);
    const after = SUFFIXES.map((suffix) => (existsSync(path(suffix)) ? readFileSync(path(suffix)) : null));
    assert.deepEqual(after, before, 'the bad bytes did not stay');
    return { isRefused: true, tasks: 0, events: 0, findings: [] };
  }
}
