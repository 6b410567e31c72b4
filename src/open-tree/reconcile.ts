import { TREE_LOOKS_PER_BATCH_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task.ts';
import { hasTask } from '../ledger/statements/tasks.ts';
import { rejectedNames } from '../tree/tree-files.ts';
import { isTaskName } from '../tree/tree-paths.ts';
import { checkNewFile } from './adopt-file.ts';
import { checkRunFile } from './check-run-file.ts';
import { findCopies } from './find-copies.ts';
import { judgeCopies } from './judge-copies.ts';
import type { CheckResult, ReconcileParts } from './open-tree-parts.ts';
import { performJudged } from './perform-judged.ts';

/** What was asked, and what is known besides. */
export interface Asked {
  readonly paths: readonly string[];
  /** Tasks that the mirror holds back until they are judged. */
  readonly held: ReadonlySet<TaskName>;
  /** Folders that are gone, with all that was in them. */
  readonly goneFolders: ReadonlySet<string>;
}

export interface Reconciled {
  /** An editor may still be at it: to be looked at again in a moment. */
  readonly unsettled: readonly string[];
  /** The mirror has still to write it. */
  readonly later: readonly string[];
}

interface Answer {
  readonly paths: readonly string[];
  readonly kind: CheckResult;
}

/**
 * Decides what a file of the tree means, and does what follows: one way for the watcher, the start and the command
 * line. The ledger has its say first, in one command a task; then files go or get another name; the mirror writes the
 * rest. Whatever is interrupted is found again by the next look.
 */
export class Reconciler {
  readonly #parts: ReconcileParts;

  constructor(parts: ReconcileParts) {
    this.#parts = parts;
  }

  async reconcile({ paths, held, goneFolders }: Asked): Promise<Reconciled> {
    const unsettled: string[] = [];
    const later: string[] = [];
    for (let at = 0; at < paths.length; at += TREE_LOOKS_PER_BATCH_MAX) {
      const batch = paths.slice(at, at + TREE_LOOKS_PER_BATCH_MAX);
      for (const answer of await this.#reconcileBatch({ paths: batch, held, goneFolders })) {
        if (answer.kind === 'unsettled') unsettled.push(...answer.paths);
        if (answer.kind === 'later') later.push(...answer.paths);
      }
    }
    return { unsettled, later };
  }

  /** All looks first, then all commands at once: they share a commit. */
  async #reconcileBatch({ paths, held, goneFolders }: Asked): Promise<Answer[]> {
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

  /** The known task that a file is of; else what came of it; null where it is nobody's concern. */
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
    const place = copies[0]?.path ?? paths[0] ?? '';
    const keepAs = rejectedNames(root, place, copies.length);
    const isFolderGone = [...how.goneFolders].some((folder) => place.startsWith(`${folder}/`));
    const facts = { taskId: task, copies, isHeld: how.isHeld, isFolderGone, keepAs };
    return { paths, kind: await performJudged(await ledger.submit(judgeCopies, facts), task, this.#parts) };
  }
}

interface Judgement extends Pick<Asked, 'goneFolders'> {
  readonly isHeld: boolean;
}
