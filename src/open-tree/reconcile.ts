import { TREE_CHECKS_PER_BATCH_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';
import { hasTask } from '../ledger/statements/tasks.ts';
import { rejectedNames } from '../tree/tree-files.ts';
import { isTaskName } from '../tree/tree-paths.ts';
import { checkNewFile } from './adopt-file.ts';
import { findCopies } from './find-copies.ts';
import { judgeCopies } from './judge-copies.ts';
import { performJudged } from './perform-judged.ts';
import type { ReconcileParts, ReconcileState } from './reconcile-parts.ts';
import { checkRunFile } from './run-files.ts';

/** The files to check, and what is known about them. */
export interface ReconcileRequest {
  readonly paths: readonly string[];
  /** Tasks that the mirror does not write before they are judged. */
  readonly held: ReadonlySet<TaskName>;
  /** Folders that were removed with all their files. */
  readonly goneFolders: ReadonlySet<string>;
}

export interface ReconcileResult {
  /** An editor may still be writing them: check again soon. */
  readonly unsettled: readonly string[];
  /** The mirror has yet to write them. */
  readonly later: readonly string[];
}

interface Answer {
  readonly paths: readonly string[];
  readonly kind: ReconcileState;
}

/**
 * Judges changed files, whoever found them: the watcher, the start or a command. First one command a task changes the
 * ledger, then files are removed or renamed, and the mirror writes the rest. After an interruption the next scan finds
 * the same files again.
 */
export class Reconciler {
  readonly #parts: ReconcileParts;

  constructor(parts: ReconcileParts) {
    this.#parts = parts;
  }

  async reconcile({ paths, held, goneFolders }: ReconcileRequest): Promise<ReconcileResult> {
    const unsettled: string[] = [];
    const later: string[] = [];
    for (let at = 0; at < paths.length; at += TREE_CHECKS_PER_BATCH_MAX) {
      const batch = paths.slice(at, at + TREE_CHECKS_PER_BATCH_MAX);
      for (const answer of await this.#reconcileBatch({ paths: batch, held, goneFolders })) {
        if (answer.kind === 'unsettled') unsettled.push(...answer.paths);
        if (answer.kind === 'later') later.push(...answer.paths);
      }
    }
    return { unsettled, later };
  }

  /** Reads all files first and then submits all commands at once, so that they share a commit. */
  async #reconcileBatch({ paths, held, goneFolders }: ReconcileRequest): Promise<Answer[]> {
    const { slice } = this.#parts;
    const answers: Promise<Answer>[] = [];
    const tasks = new Map<TaskName, string[]>();
    slice.begin();
    for (const path of paths) {
      if (slice.isOver) await slice.rest();
      const task = this.#taskAt(path);
      if (typeof task === 'string') tasks.set(task, [...(tasks.get(task) ?? []), path]);
      else if (task !== null) answers.push(task);
    }
    for (const [task, copies] of tasks) {
      if (slice.isOver) await slice.rest();
      answers.push(this.#judge(task, copies, { isHeld: held.has(task), goneFolders }));
    }
    return await Promise.all(answers);
  }

  /** The known task of a file, or the result of checking a file of no known task. */
  #taskAt(path: string): TaskName | Promise<Answer> | null {
    const { read } = this.#parts;
    if (path.startsWith('runs/')) return checkRunFile(path, this.#parts).then((kind) => ({ paths: [path], kind }));
    const name = path.slice(path.lastIndexOf('/') + 1, -3);
    if (isTaskName(name) && hasTask(read, name)) return name;
    const found = checkNewFile(path, this.#parts);
    return typeof found === 'string' ? found : found.then((kind) => ({ paths: [path], kind }));
  }

  async #judge(task: TaskName, paths: readonly string[], how: Judgement): Promise<Answer> {
    const { ledger, root } = this.#parts;
    const copies = findCopies(task, paths, this.#parts);
    if (copies === null) return { paths, kind: 'unsettled' };
    const ownPath = copies[0]?.path ?? paths[0] ?? '';
    const asideNames = rejectedNames(root, ownPath, copies.length);
    const isFolderGone = [...how.goneFolders].some((folder) => ownPath.startsWith(`${folder}/`));
    const facts = { taskId: task, copies, isHeld: how.isHeld, isFolderGone, asideNames };
    return { paths, kind: await performJudged(await ledger.submit(judgeCopies, facts), task, this.#parts) };
  }
}

interface Judgement extends Pick<ReconcileRequest, 'goneFolders'> {
  readonly isHeld: boolean;
}
