import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { Task, TaskName } from '../domain/task.ts';
import type { TaskStatus } from '../domain/task-lifecycle.ts';
import type { Command } from '../ledger/commit-queue.ts';
import type { CompletionReport } from '../protocols/aof/schema/completion-report.ts';
import type { DiskSide, FileContent } from './compare.ts';

/** A file of a task that the ledger knows; the text was typed on this revision, as far as it says. */
export type Copy = DiskSide & { readonly revision: number | null };

export interface CopiesFound {
  readonly taskId: TaskName;
  /** The task's place first, then every other place that holds something. */
  readonly copies: readonly Copy[];
  /** The mirror waits for the answer; else a task that it has still to write is left to it. */
  readonly isHeld: boolean;
  /** Its whole folder is gone, which is told once and not file by file. */
  readonly isFolderGone: boolean;
  /** Free names for what is not taken over, as many as there are copies. */
  readonly keepAs: readonly string[];
}

/** What is to be done to the files, now that the ledger has its say. The mirror writes the rest. */
export type Judged =
  /** The mirror has still to write the task, or the ledger changed under the look. */
  | { readonly kind: 'later' }
  | {
      readonly kind: 'judged';
      /** Files that go, if they still have this content. */
      readonly removals: readonly { readonly path: string; readonly sha256: string }[];
      /** Files that are kept under another name. */
      readonly asides: readonly { readonly path: string; readonly as: string }[];
      readonly unreadable: readonly { readonly path: string; readonly problem: string }[];
      readonly events: readonly LedgerEvent[];
    };

export interface NewFile {
  readonly path: string;
  readonly sha256: string;
  readonly folder: TaskStatus;
  readonly content: FileContent;
}

export type Adopted =
  | { readonly kind: 'adopted'; readonly task: Task }
  | { readonly kind: 'later' }
  | { readonly kind: 'refused'; readonly problem: string };

export interface RunResultFound {
  readonly taskId: TaskName;
  readonly path: string;
  readonly sha256: string;
  /** When the file was last changed, in milliseconds since 1970. */
  readonly changedAtMs: number;
  /** The report that it stands for, or what is wrong with it. */
  readonly report:
    | CompletionReport
    | { readonly errors: readonly { readonly path: string; readonly message: string }[] };
  readonly keepAs: string;
}

/** A file of a run that is gone or was changed. */
export interface RunFileFound {
  readonly taskId: TaskName;
  readonly path: string;
  /** Where what somebody wrote there is kept; null where nothing lies there. */
  readonly keepAs: string | null;
}

export interface Trouble {
  readonly kind: string;
  /** The file or folder it is about. */
  readonly path: string;
  readonly taskId: TaskName | null;
  readonly detail: string;
}

/**
 * What the open tree asks of the ledger. The tree lies below the operations, so they are handed in; each decides
 * within its transaction.
 */
export interface TreeCommands {
  readonly judgeCopies: Command<CopiesFound, Judged>;
  readonly adoptFile: Command<NewFile, Adopted>;
  readonly takeRunResult: Command<RunResultFound, Judged>;
  readonly restoreRunFile: Command<RunFileFound, Judged>;
  readonly openTrouble: Command<Trouble, object>;
  readonly rememberMeta: Command<{ readonly key: string; readonly value: string }, object>;
  readonly closeTroubles: Command<{ readonly ids: readonly string[] }, object>;
}
