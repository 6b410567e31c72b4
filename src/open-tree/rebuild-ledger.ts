import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { upsertMeta } from '../ledger/statements/meta.ts';
import { beginAfter } from '../operations/record-loss.ts';
import { type FoundTask, restoreDependencies, restoreTask } from '../operations/restore-task.ts';
import { highestEventInTree } from '../tree/find-lost-events.ts';
import { readRunTraces } from './read-run-files.ts';
import { readTasks, type UnreadFile } from './read-tasks.ts';

const TASKS_PER_COMMIT = 200;

export interface LedgerRebuild {
  /** A new, empty ledger. */
  readonly ledger: Ledger;
  /** The data folder; its tree is only read. */
  readonly root: string;
  /** Rows of meta for the new ledger. */
  readonly marks: Readonly<Record<string, string>>;
}

export interface LedgerRebuilt {
  readonly tasks: number;
  /** Files that are not tasks; they stay in the tree that is set aside. */
  readonly unread: readonly UnreadFile[];
  /** Sentences about what a tree does not contain. */
  readonly notRestored: readonly string[];
}

const NEVER_RESTORED: readonly string[] = [
  'events from before now: they are in the files that were put aside',
  'runs with their leases: what was in progress is ready again, or where its last report leads',
  'answers to calls that were made with an idempotency key',
  'incidents, handoffs and whether they were accepted, turns, and what other machines were sent',
];

/** Fills a new ledger from the files of the tree, after the old one was lost. */
export async function rebuildLedger({ ledger, root, marks }: LedgerRebuild): Promise<LedgerRebuilt | Refusal> {
  // First, so that no number of an earlier event is given again.
  const begun = await ledger.submit(beginAfter, { seq: highestEventInTree(root) });
  if (isRefusal(begun)) return begun;
  const unread: UnreadFile[] = [];
  const named: TaskName[] = [];
  const unnamed: FoundTask[] = [];
  const projects = new Set<string>();
  let batch: FoundTask[] = [];
  const flush = async () => {
    named.push(...(await restoreAll(ledger, batch, unread)));
    batch = [];
  };
  for (const file of readTasks(root, (each) => unread.push(each))) {
    const { id, fixed } = file.content;
    if (fixed.project !== undefined) projects.add(fixed.project);
    const traces = id === null ? { fence: 0, outcome: null } : readRunTraces(root, id as TaskName);
    // Tasks with an id come first, so that no new id is one of theirs.
    if (id === null) unnamed.push({ ...file, traces });
    else if (batch.push({ ...file, traces }) === TASKS_PER_COMMIT) await flush();
  }
  await flush();
  batch = unnamed;
  await flush();
  const [project, ...others] = projects;
  const known = project !== undefined && others.length === 0 ? { project } : {};
  const kept = await ledger.submit(keepMarks, { ...known, ...marks });
  if (isRefusal(kept)) return kept;
  const lost = await restoreWaits(ledger, named);
  return { tasks: named.length, unread, notRestored: [...NEVER_RESTORED, ...lost] };
}

async function restoreAll(ledger: Ledger, found: readonly FoundTask[], unread: UnreadFile[]): Promise<TaskName[]> {
  const answers = await Promise.all(found.map((task) => ledger.submit(restoreTask, task)));
  return answers.flatMap((answer, at) => {
    const path = found[at]?.path ?? '';
    if (!isRefusal(answer) && answer.isNew) return [answer.id];
    unread.push({ path, problem: isRefusal(answer) ? answer.message : `${answer.id} has another file` });
    return [];
  });
}

async function restoreWaits(ledger: Ledger, tasks: readonly TaskName[]): Promise<string[]> {
  const lost: string[] = [];
  for (let at = 0; at < tasks.length; at += TASKS_PER_COMMIT) {
    const batch = tasks.slice(at, at + TASKS_PER_COMMIT);
    const answers = await Promise.all(batch.map((id) => ledger.submit(restoreDependencies, { id })));
    answers.forEach((answer, index) => {
      if (isRefusal(answer) || answer.missing.length === 0) return;
      lost.push(`that ${batch[index]} waits for ${answer.missing.join(', ')}, of which there is no file`);
    });
  }
  return lost;
}

const keepMarks: Command<Readonly<Record<string, string>>, object> = (tx, marks) => {
  for (const [key, value] of Object.entries(marks)) upsertMeta(tx, key, value);
  return {};
};
