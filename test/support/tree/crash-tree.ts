import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTestLedger, suiteScratch } from '../test-ledger.ts';
import { filesBelow, TestTree } from './test-tree.ts';

const PROGRAM = fileURLToPath(new URL('./play-tree.ts', import.meta.url));
/** The texts that play-tree.ts writes as a person would. */
const TYPED = ['an output', 'an edit', 'a note'];

/** Each step of the mirror that play-tree.ts gets to. */
export const CRASH_POINTS = [
  'mirror.intents-recorded',
  'mirror.temp-written',
  'mirror.file-written',
  'mirror.renamed',
  'mirror.folder-renamed',
  'mirror.kept-aside',
  'mirror.events-appended',
  'mirror.settled',
] as const;

export function newFolder(): string {
  return mkdtempSync(join(suiteScratch(), 'killed-'));
}

export interface Killed {
  readonly isKilled: boolean;
  /** The texts typed by then. */
  readonly typed: readonly string[];
}

/** Runs play-tree.ts until it ends or is killed at a crash point (`name:count`). */
export function playUntil(crash: string, folder: string, what: 'play' | 'recover' = 'play'): Killed {
  const env = { ...process.env, BATON_CRASH: crash };
  const { signal, status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, folder, what], { env });
  assert.ok(signal === 'SIGKILL' || status === 0, String(stderr));
  return { isKilled: signal === 'SIGKILL', typed: String(stdout).split('\n').slice(0, -1) };
}

/** After one more start the tree is what a rebuild of the same ledger gives in an empty folder, and what was typed is there. */
export async function assertHealed(folder: string, typed: readonly string[]): Promise<void> {
  const tree = new TestTree(openTestLedger(folder));
  await tree.drain();
  const files = filesBelow(folder);
  const elsewhere = mkdtempSync(join(suiteScratch(), 'rebuilt-'));
  tree.life.at.ledger.database.prepare('VACUUM INTO ?').run(join(elsewhere, 'ledger.sqlite'));
  const rebuilt = new TestTree(openTestLedger(elsewhere));
  await rebuilt.mirror.rebuild();
  assert.deepEqual(written(files), written(filesBelow(elsewhere)));
  const kept = Object.values(files).filter((text) => TYPED.includes(text));
  assert.deepEqual(kept.sort(), [...typed].sort());
  const rejected = Object.keys(files).filter((path) => path.includes('.rejected'));
  assert.equal(rejected.length, typed.includes('an edit') ? 1 : 0);
  await tree.mirror.stop();
  await rebuilt.mirror.stop();
}

/** Without what was typed, and without folders: some of them are a person's. */
function written(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).filter(([path, text]) => !path.endsWith('/') && !TYPED.includes(text)),
  );
}
