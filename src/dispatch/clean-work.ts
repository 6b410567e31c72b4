import { join } from 'node:path';
import { type CleanDecision, decideClean } from '../domain/decisions/decide-clean.ts';
import { changesLeft } from '../domain/execution/changes-left.ts';
import type { TaskName } from '../domain/task.ts';
import { keptStores } from '../workspace/shadow/kept-folders.ts';
import { namesIn } from '../workspace/shadow/object-store.ts';
import { type PruneOrder, pruneStore } from '../workspace/shadow/prune-store.ts';
import type { LeftWork } from './work-of-task.ts';
import { bytesIn, removeFolders, savedFolders, tasksOfWorktrees } from './workplace/saved-folders.ts';

export interface CleanOrder {
  readonly dataFolder: string;
  readonly nowMs: number;
  readonly undoMs: number;
  /** Counts what would be removed, and removes nothing. */
  readonly isDry: boolean;
  /** The newest round of a task; null where the ledger does not know it. */
  workOf(task: string): (LeftWork & { readonly isOpen: boolean }) | null;
}

export interface Cleaned {
  /** Tasks whose saved work was removed: they can no longer be shown, applied or undone. */
  readonly tasks: readonly TaskName[];
  readonly worktrees: number;
  readonly shadows: number;
  readonly objects: number;
  readonly bytes: number;
  /** Tasks that keep their saved work, by the reason. */
  readonly kept: { readonly running: number; readonly waiting: number; readonly undoable: number };
}

/** Removes saved work that nobody needs any more. It can be killed and repeated at any point. */
export async function cleanWork(order: CleanOrder): Promise<Cleaned> {
  const { dataFolder, isDry } = order;
  const stores = keptStores(join(dataFolder, 'shadows'));
  const tasks = tasksIn(
    order,
    stores.flatMap(({ store }) => namesIn(store)).map(({ ref }) => ref.split('/')[2] ?? ''),
  );
  const decisions = new Map(tasks.map((task) => [task, decide(order, task)]));
  const removed = tasks.filter((task) => decisions.get(task)?.kind === 'remove');
  const kindOf = (task: string) => decisions.get(task)?.kind ?? 'keep';
  const folders = savedFolders(dataFolder, kindOf);
  const bytes = [...folders.worktrees, ...folders.others].reduce((sum, folder) => sum + bytesIn(folder), 0);
  if (!isDry) removeFolders(dataFolder, folders);
  const pruned = { names: 0, objects: 0, bytes };
  for (const { store, trees } of stores) {
    const from = await pruneStore(store, { isKept: keptNow(order, decisions), trees, isDry });
    pruned.names += from.names;
    pruned.objects += from.objects;
    pruned.bytes += from.bytes;
  }
  return {
    tasks: removed as TaskName[],
    worktrees: folders.worktrees.length,
    shadows: pruned.names,
    objects: pruned.objects,
    bytes: pruned.bytes,
    kept: keptBy([...decisions.values()]),
  };
}

/** Decides again once the store is free: somebody may have applied or retried a task meanwhile. */
function keptNow(order: CleanOrder, decisions: ReadonlyMap<string, CleanDecision>): PruneOrder['isKept'] {
  const now = new Map<string, boolean>();
  return (ref) => {
    const task = ref.split('/')[2] ?? '';
    if (decisions.get(task)?.kind !== 'remove') return true;
    const isKept = now.get(task) ?? decide(order, task).kind !== 'remove';
    now.set(task, isKept);
    return isKept;
  };
}

function keptBy(decisions: readonly CleanDecision[]): Cleaned['kept'] {
  const count = (reason: string) => decisions.filter((one) => one.kind === 'keep' && one.why === reason).length;
  const applied = decisions.filter(({ kind }) => kind === 'remove-worktree').length;
  return { running: count('running'), waiting: count('waiting'), undoable: count('undoable') + applied };
}

/** Tasks with shadow commits or a worktree. */
function tasksIn({ dataFolder }: CleanOrder, named: readonly string[]): readonly string[] {
  return [...new Set([...named, ...tasksOfWorktrees(dataFolder)])].filter((task) => task !== '');
}

function decide({ nowMs, undoMs, workOf }: CleanOrder, task: string): CleanDecision {
  const found = workOf(task);
  // A ledger that was restored from a backup may not know it yet.
  if (found === null) return { kind: 'keep', why: 'waiting' };
  const { execution, isOpen } = found;
  const { snapshotted, reported, workFacts } = execution;
  const ends = [reported?.report.timing.completedAt, workFacts.at(-1)?.at].filter((at) => at !== undefined);
  return decideClean(
    {
      isOpen,
      work: found.task.work,
      isInWorktree: snapshotted?.workplace.kind === 'worktree',
      hasChanges: changesLeft(execution).length > 0,
      lastAt: ends.length === 0 ? null : Math.max(...ends),
    },
    { nowMs, undoMs },
  );
}
