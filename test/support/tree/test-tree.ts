import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selectOpenIncidents } from '../../../src/ledger/statements/incidents.ts';
import { countUnmirrored } from '../../../src/ledger/statements/mirror-files.ts';
import { Mirror } from '../../../src/tree/mirror.ts';
import { TaskLife } from '../task/task-life.ts';
import { openTestLedger, suiteScratch, type TestLedger } from '../test-ledger.ts';
import { TestTimer } from '../test-timer.ts';

const DRAIN_ROUNDS_MAX = 10_000;

// Asked for before any test runs, so that it goes after the last of them and not after the first.
suiteScratch();

/** A tree in a real folder, with the ledger it shows. */
export class TestTree {
  readonly life: TaskLife;
  readonly timer = new TestTimer();
  mirror: Mirror;

  constructor(at: TestLedger = openTestLedger()) {
    this.life = new TaskLife(at);
    this.mirror = this.newMirror();
  }

  /** One whose mirror follows every commit. */
  static started(): TestTree {
    const tree = new TestTree();
    tree.mirror.start();
    return tree;
  }

  get root(): string {
    return this.life.at.folder;
  }

  /** A new process would begin like this. */
  async restart(): Promise<void> {
    await this.mirror.stop();
    this.life.at.reopen();
    this.mirror = this.newMirror();
    this.mirror.start();
    await this.mirror.settled();
  }

  /** Until nothing is left to show, also of what the mirror itself had to tell. */
  async drain(): Promise<void> {
    for (let round = 0; (await this.mirror.tick()).remaining; round++) {
      assert.ok(round < DRAIN_ROUNDS_MAX, `the mirror has work left after ${round} rounds`);
      await this.timer.breathe();
    }
  }

  protected newMirror(areEditsJudged = false): Mirror {
    const { ledger, folder, clock, ids } = this.life.at;
    return new Mirror({ ledger, root: folder, clock, ids, timer: this.timer, areEditsJudged });
  }

  path(path: string): string {
    return join(this.root, path);
  }

  text(path: string): string {
    return readFileSync(this.path(path), 'utf8');
  }

  json(path: string): Record<string, unknown> {
    return JSON.parse(this.text(path)) as Record<string, unknown>;
  }

  write(path: string, text: string): void {
    writeFileSync(this.path(path), text);
  }

  has(path: string): boolean {
    return lstatSync(this.path(path), { throwIfNoEntry: false }) !== undefined;
  }

  inode(path: string): number {
    return lstatSync(this.path(path)).ino;
  }

  /** The kinds of incidents that are open. */
  incidents(): string[] {
    return selectOpenIncidents(this.life.at.ledger.read, 100).map(({ kind }) => kind);
  }

  /** How many tasks the ledger holds the tree to be behind on. */
  behind(): number {
    return countUnmirrored(this.life.at.ledger.read);
  }

  events(): { eventId: number; type: string; actor: string; taskId?: string; payload: Record<string, unknown> }[] {
    const days = readdirSync(this.path('events')).sort();
    const lines = days.flatMap((day) => this.text(`events/${day}`).split('\n').slice(0, -1));
    return lines.map((line) => JSON.parse(line));
  }
}

/** Every file of a tree with its text; folders end in a slash. The ledger's own files are no part of it. */
export function filesBelow(root: string): Record<string, string> {
  const found = readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name).slice(root.length + 1) }))
    .filter(({ path }) => /^(tasks|runs|events)\b/.test(path))
    .map(({ entry, path }) => {
      if (entry.isDirectory()) return [`${path}/`, ''];
      const file = join(root, path);
      return [path, entry.isSymbolicLink() ? `-> ${readlinkSync(file)}` : readFileSync(file, 'utf8')];
    });
  return Object.fromEntries(found.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)));
}
