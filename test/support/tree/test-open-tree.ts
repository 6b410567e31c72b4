import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LedgerEvent } from '../../../src/domain/trace/ledger-event.ts';
import { selectEvents } from '../../../src/ledger/statements/events.ts';
import { selectOpenIncidents } from '../../../src/ledger/statements/incidents.ts';
import { OpenTree } from '../../../src/open-tree/open-tree.ts';
import type { FolderWatch } from '../../../src/platform/files/folder-watch.ts';
import type { Mirror } from '../../../src/tree/mirror.ts';
import type { TestLedger } from '../test-ledger.ts';
import { filesBelow, TestTree } from './test-tree.ts';

/** Gives no hints but those a test gives. */
export class TestWatch {
  readonly #listeners = new Map<string, (name: string | null) => void>();

  readonly watch: FolderWatch = (folder, onHint) => {
    this.#listeners.set(folder, onHint);
    return () => this.#listeners.delete(folder);
  };

  hint(folder: string, name: string | null): void {
    this.#listeners.get(folder)?.(name);
  }
}

/** A tree that people may change, with the ledger it shows. */
export class TestOpenTree extends TestTree {
  readonly hints = new TestWatch();
  open: OpenTree;

  constructor(at?: TestLedger) {
    super(at);
    this.open = this.#newOpenTree();
  }

  static override started(at?: TestLedger): TestOpenTree {
    const tree = new TestOpenTree(at);
    tree.mirror.start();
    return tree;
  }

  override async restart(): Promise<void> {
    await this.stop();
    this.life.at.reopen();
    this.mirror = this.newMirror();
    this.open = this.#newOpenTree();
    this.mirror.start();
  }

  async stop(): Promise<void> {
    await this.open.stop();
    await this.mirror.stop();
  }

  protected override newMirror(): Mirror {
    return super.newMirror(true);
  }

  #newOpenTree(): OpenTree {
    const { ledger, folder: root, clock, ids } = this.life.at;
    const { mirror, timer } = this;
    return new OpenTree({ root, ledger, mirror, watch: this.hints.watch, clock, ids, timer });
  }

  /** Until all that lies there was judged and the tree shows what came of it. */
  async look(): Promise<void> {
    await this.open.reconcileAll();
    await this.mirror.settled();
    await this.open.reconcileAll();
  }

  /** A person writes a file. */
  type(path: string, text: string): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), text);
  }

  /** A person changes a file by words. */
  edit(path: string, from: string, to: string): string {
    const text = this.text(path);
    if (!text.includes(from)) throw new Error(`${path} does not say ${from}`);
    const edited = text.replace(from, to);
    writeFileSync(this.path(path), edited);
    return edited;
  }

  rename(from: string, to: string): void {
    mkdirSync(dirname(this.path(to)), { recursive: true });
    renameSync(this.path(from), this.path(to));
  }

  remove(path: string): void {
    rmSync(this.path(path), { recursive: true });
  }

  /** Types and actors of what happened since an event. */
  happened(after = 0): string[] {
    return selectEvents(this.life.at.ledger.read, after, 10_000).map(({ type, actor }) => `${type} by ${actor}`);
  }

  /** The first event since another. */
  eventAfter(seq: number): LedgerEvent {
    return selectEvents(this.life.at.ledger.read, seq, 1)[0] ?? assert.fail(`no event after ${seq}`);
  }

  get lastSeq(): number {
    return selectEvents(this.life.at.ledger.read, 0, 100_000).at(-1)?.seq ?? 0;
  }

  openIncidents(): { readonly kind: string; readonly detail: string }[] {
    return selectOpenIncidents(this.life.at.ledger.read, 100).map(({ kind, detail }) => ({ kind, detail }));
  }

  /** All files of tasks. */
  tasks(): Record<string, string> {
    return Object.fromEntries(Object.entries(filesBelow(this.root)).filter(([path]) => path.endsWith('.md')));
  }
}
