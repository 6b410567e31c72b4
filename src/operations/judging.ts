import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { Task } from '../domain/task.ts';
import { touchTask, upsertMirrorFile } from '../ledger/statements/mirror-files.ts';
import type { Tx } from '../ledger/tx.ts';
import type { CopiesFound, Copy } from '../tree/tree-commands.ts';
import type { SideFacts } from './read-ledger-side.ts';

export type FoundCopy = Extract<Copy, { kind: 'file' | 'empty' }>;

/** What was found out and done so far, of one task. */
export interface Judging {
  readonly tx: Tx;
  readonly facts: CopiesFound;
  readonly side: SideFacts;
  readonly done: {
    removals: { path: string; sha256: string }[];
    asides: { path: string; as: string }[];
    unreadable: { path: string; problem: string }[];
    events: LedgerEvent[];
  };
  task: Task;
}

/** Nothing of Baton's lies at the task's place any more: the mirror writes it anew. */
export function clearPlace({ tx, side, task }: Judging): void {
  const row = { path: side.place, taskId: task.id, sha256: null, nextSha256: null, revision: task.revision };
  upsertMirrorFile(tx, row);
  touchTask(tx, task.id);
}
