import * as fs from 'node:fs';
import { join } from 'node:path';
import { AOF_MESSAGE_BYTES_MAX, TASK_FILE_BYTES_MAX } from '../domain/limits.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task/task.ts';
import { TASK_STATUSES, type TaskStatus } from '../domain/task/task-lifecycle.ts';
import type { TaskContent } from '../domain/task/task-text.ts';
import { counted } from '../domain/words/counted.ts';
import { isJsonObject } from '../domain/words/json-object.ts';
import type { Command } from '../ledger/commit-queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { upsertMeta } from '../ledger/statements/meta.ts';
import { beginAfter } from '../operations/record-loss.ts';
import type { RunTraces } from '../operations/task/restore-task.ts';
import { type FoundTask, restoreDependencies, restoreTask } from '../operations/task/restore-task.ts';
import { readJson } from '../protocols/json-text.ts';
import { highestEventInTree } from '../tree/find-lost-events.ts';
import { isTaskFileName, runPath } from '../tree/tree-paths.ts';
import { readEditedTaskFile } from './read-task-file.ts';
import { readTreeFile } from './read-tree-file.ts';
import { readRunReport } from './run-files.ts';

const TASKS_PER_COMMIT = 200;

interface LedgerRebuild {
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
  'sessions, questions, reviews in rounds, what was spent today, and what waited for quota',
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
  return { tasks: named.length, unread, notRestored: [...NEVER_RESTORED, ...lostWork(root, named), ...lost] };
}

/** The files hold what an agent reported, not what it was told and did: that was in the ledger alone. */
function lostWork(root: string, tasks: readonly TaskName[]): readonly string[] {
  const carriedOut = tasks.filter((task) => fs.existsSync(join(root, 'runs', task, 'output.log'))).length;
  const count = counted(carriedOut, 'task');
  const worktrees = join(root, 'worktrees');
  const left = fs.existsSync(worktrees) ? fs.readdirSync(worktrees).sort() : [];
  return [
    ...(carriedOut === 0
      ? []
      : [
          `the record of the work of ${count}: diff, apply, undo, verify, rewind and continue refuse; receipts and logs stay`,
        ]),
    ...left.map((name) => `the work in ${join(worktrees, name)}: the folder stays; git there shows what changed`),
  ];
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

interface TaskFileRead {
  readonly path: string;
  readonly folder: TaskStatus;
  readonly content: TaskContent;
  /** Null if the file has none. */
  readonly revision: number | null;
}

interface UnreadFile {
  readonly path: string;
  readonly problem: string;
}

/** Reads every task's file, one folder at a time; `onUnread` gets the files that are not tasks. */
function* readTasks(root: string, onUnread: (file: UnreadFile) => void): Generator<TaskFileRead> {
  for (const folder of TASK_STATUSES) {
    for (const name of namesIn(join(root, 'tasks', folder))) {
      const path = `tasks/${folder}/${name}`;
      const reading = readTreeFile({ root, path, bytesMax: TASK_FILE_BYTES_MAX });
      if (reading.kind === 'absent') continue;
      if (reading.kind === 'strange') {
        onUnread({ path, problem: reading.problem });
        continue;
      }
      const task = readEditedTaskFile(reading.bytes, folder);
      if (task.kind === 'task') yield { path, folder, content: task.content, revision: task.revision };
      else onUnread({ path, problem: task.kind === 'empty' ? 'it is empty' : task.problem });
    }
  }
}

function namesIn(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder).filter(isTaskFileName).sort() : [];
}

/** The fence and the outcome of a task's last run, from its files. */
function readRunTraces(root: string, task: TaskName): RunTraces {
  const folder = join(root, 'runs', task);
  if (!fs.existsSync(folder)) return { fence: 0, outcome: null };
  const attempts = join(folder, 'attempts');
  const fences = fs.existsSync(attempts) ? fs.readdirSync(attempts).map(Number).filter(Number.isSafeInteger) : [];
  const result = bytesAt(root, runPath(task, 'run_result.json', null));
  const report = result && readRunReport(result, task);
  return {
    fence: Math.max(0, fenceOf(bytesAt(root, runPath(task, 'run.json', null))), ...fences),
    outcome: report && !('errors' in report) ? report.result.outcome : null,
  };
}

function fenceOf(bytes: Buffer | null): number {
  const value = bytes === null ? null : readJson(bytes.toString('utf8')).value;
  const metadata = isJsonObject(value) ? value.metadata : null;
  const fence = isJsonObject(metadata) ? metadata.fence : null;
  return Number.isSafeInteger(fence) ? (fence as number) : 0;
}

function bytesAt(root: string, path: string): Buffer | null {
  const reading = readTreeFile({ root, path, bytesMax: AOF_MESSAGE_BYTES_MAX });
  return reading.kind === 'file' ? reading.bytes : null;
}
