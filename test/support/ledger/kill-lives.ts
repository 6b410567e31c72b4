import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { openNode } from '../../../src/node.ts';
import { openTestLedger, suiteScratch } from '../test-ledger.ts';
import { filesBelow, TestTree } from '../tree/test-tree.ts';
import { type Acknowledged, lostAnswers, readAcknowledged, TYPED } from './acknowledged.ts';
import { checkLedger } from './check-ledger.ts';

const PROGRAM = fileURLToPath(new URL('./play-lives.ts', import.meta.url));
const STUCK_MS = 60_000;

export interface Play {
  readonly seed: number;
  readonly lives?: number;
  /** `edit`, `backup`, `restore`, `shown`: what else it does, and that it waits for the tree on the way. */
  readonly modes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Called when the program has loaded and waits; what it returns is awaited. */
  watch?(pid: number): Promise<Watch>;
}

export interface Watch {
  readonly ended: Promise<unknown>;
}

export interface Played {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  readonly answers: readonly Acknowledged[];
}

/** One data folder that is played in and killed in again and again, with all that was ever answered. */
export class KilledFolder {
  readonly folder: string = mkdtempSync(join(suiteScratch(), 'killed-'));
  readonly #answers: Acknowledged[] = [];

  async play({ seed, lives = 6, modes = [], environment = {}, watch }: Play): Promise<Played> {
    const args = [PROGRAM, this.folder, String(seed), String(lives), ...modes, ...(watch ? ['wait'] : [])];
    const cache = join(suiteScratch(), 'compile-cache');
    mkdirSync(cache, { recursive: true });
    const env = { ...process.env, NODE_COMPILE_CACHE: cache, ...environment };
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'pipe'], timeout: STUCK_MS });
    const ended = endOf(child);
    const watched = watch && (await untilReady(child, ended)) ? await watch(child.pid as number) : null;
    // A program that was killed before it reads is no error of the caller's.
    child.stdin?.on('error', () => undefined).end('x');
    const played = await ended;
    await watched?.ended;
    this.#answers.push(...played.answers);
    return played;
  }

  /** The damage of a kill: a lost answer, a change without its event, or a broken file. */
  async findings(): Promise<string[]> {
    // Twice: what the mirror itself had to tell of its recovery is shown by the next start.
    for (let start = 0; start < 2; start++) await openAndClose(this.folder);
    const db = new DatabaseSync(join(this.folder, 'ledger.sqlite'), { readOnly: true });
    try {
      return [...checkLedger(db), ...lostAnswers(db, this.#answers), ...namesTwice(db)];
    } finally {
      db.close();
    }
  }

  /** Files that differ from those that a rebuild of the same ledger writes into an empty folder. */
  async treeFindings(): Promise<string[]> {
    const elsewhere = mkdtempSync(join(suiteScratch(), 'rebuilt-'));
    const db = new DatabaseSync(join(this.folder, 'ledger.sqlite'));
    db.prepare('VACUUM INTO ?').run(join(elsewhere, 'ledger.sqlite'));
    db.close();
    const rebuilt = new TestTree(openTestLedger(elsewhere));
    await rebuilt.mirror.rebuild();
    await rebuilt.mirror.stop();
    const [here, there] = [treeOf(this.folder), treeOf(elsewhere)];
    const paths = new Set([...Object.keys(here), ...Object.keys(there)]);
    return [...paths].filter((path) => here[path] !== there[path]).map((path) => `differs from a rebuild: ${path}`);
  }
}

async function openAndClose(folder: string): Promise<void> {
  const node = await openNode({ dataFolder: folder, onFatal: (fault) => assert.fail(fault), isBrief: true });
  await node.treeSettled();
  await node.close();
}

/** A life that is played again under its key is the first one. */
function namesTwice(db: DatabaseSync): string[] {
  const sql = "SELECT title FROM tasks WHERE title GLOB '[0-9]*-[0-9]*' GROUP BY title HAVING count(*) > 1";
  return db
    .prepare(sql)
    .all()
    .map(({ title }) => `made twice: ${title}`);
}

function treeOf(folder: string): Record<string, string> {
  const own = Object.entries(filesBelow(folder)).filter(
    ([path, text]) => /^(tasks|runs|events)\//.test(path) && text !== TYPED,
  );
  return Object.fromEntries(own);
}

async function endOf(child: ChildProcess): Promise<Played> {
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (part) => (text[name] += part));
  const [status, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.on('error', reject).on('close', (code, by) => resolve([code, by]));
  });
  return { status, signal, stderr: text.stderr, answers: readAcknowledged(text.stdout) };
}

async function untilReady(child: ChildProcess, ended: Promise<unknown>): Promise<boolean> {
  const ready = new Promise<boolean>((resolve) => child.stdout?.once('data', () => resolve(true)));
  return await Promise.race([ready, ended.then(() => false)]);
}
