import * as fs from 'node:fs';
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { EVENTS_PER_PAGE_MAX, KIB, MIRROR_TASKS_PER_BATCH_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { TaskStatus } from '../domain/task/task-lifecycle.ts';
import { selectStoredEvents } from '../ledger/statements/events.ts';
import { selectMirrorFiles, selectTaskNames } from '../ledger/statements/mirror-files.ts';
import { selectTaskStatus } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { byDay, eventLogLine } from './event-log.ts';
import { moveFolder } from './tree-files.ts';
import type { TreeParts } from './tree-parts.ts';
import {
  companionPath,
  dayPath,
  EVENTS_FOLDER,
  isTaskName,
  STATUS_FOLDERS,
  TREE_FOLDERS,
  taskPath,
} from './tree-paths.ts';
import type { TreeWriter } from './tree-writer.ts';

export interface RebuildParts {
  readonly read: Reader;
  readonly tree: TreeParts;
  readonly writer: TreeWriter;
}

export interface Rebuilt {
  readonly tasks: number;
  /** Tasks whose files could not be written; an incident says why. */
  readonly failed: number;
  readonly events: number;
}

/** Reads every file and writes those that are wrong, with one batch in memory at a time. */
export async function rebuildTree({ read, tree, writer }: RebuildParts): Promise<Rebuilt> {
  await returnStrays(tree, read);
  // The folders exist even if there is no task.
  for (const folder of TREE_FOLDERS) tree.trouble.guard(() => tree.files.ensureFolder(folder));
  let [tasks, failed, after] = [0, 0, 0];
  for (;;) {
    const page = selectTaskNames(read, { after, limit: MIRROR_TASKS_PER_BATCH_MAX });
    const last = page.at(-1);
    if (!last) break;
    after = last.number;
    tasks += page.length;
    failed += await showAll(
      page.map(({ id }) => id),
      writer,
    );
  }
  return { tasks, failed, events: await rebuiltEvents(tree, read) };
}

/** A failure opens an incident. */
export async function rebuiltEvents(tree: TreeParts, read: Reader): Promise<number> {
  try {
    return await rebuildEvents(tree, read);
  } catch (error) {
    tree.trouble.failed(error);
    return 0;
  }
}

/** Repeats until no task is postponed to another batch. */
async function showAll(tasks: readonly TaskName[], writer: TreeWriter): Promise<number> {
  let failed = 0;
  for (let left = tasks; left.length > 0; ) {
    const outcome = await writer.show(left, true);
    if (outcome === null) return failed + left.length;
    failed += outcome.failed;
    left = outcome.postponed;
  }
  return failed;
}

const CHUNK_BYTES = 64 * KIB;

/** Writes the file of every day again from the ledger and returns the number of events. */
async function rebuildEvents({ files, log, slice }: TreeParts, read: Reader): Promise<number> {
  files.forgetFolders();
  files.ensureFolder(EVENTS_FOLDER);
  const drafts = new Map<string, string>();
  let seq = 0;
  for (;;) {
    const page = selectStoredEvents(read, seq, EVENTS_PER_PAGE_MAX);
    const last = page.at(-1);
    if (!last) break;
    seq = last.seq;
    if (slice.isOver) await slice.rest();
    for (const [day, events] of byDay(page)) {
      const draft = drafts.get(day) ?? files.temporaryIn(EVENTS_FOLDER);
      fs.appendFileSync(draft, events.map(eventLogLine).join(''), { mode: 0o600, flag: drafts.has(day) ? 'a' : 'ax' });
      drafts.set(day, draft);
    }
  }
  for (const [day, draft] of drafts) {
    const path = dayPath(day);
    // A file of Baton's is the beginning of the new one; any other was changed by somebody.
    if (!isBeginningOf(files.at(path), draft)) files.setAside(path, path);
    fs.renameSync(draft, files.at(path));
  }
  log.forget();
  return seq;
}

function isBeginningOf(file: string, whole: string): boolean {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stat) return true;
  if (!stat.isFile() || stat.size > fs.statSync(whole).size) return false;
  const [first, second] = [fs.openSync(file, 'r'), fs.openSync(whole, 'r')];
  try {
    const [a, b] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)];
    for (let bytes = fs.readSync(first, a); bytes > 0; bytes = fs.readSync(first, a)) {
      fs.readSync(second, b, 0, bytes, null);
      if (a.compare(b, 0, bytes, 0, bytes) !== 0) return false;
    }
    return true;
  } finally {
    fs.closeSync(first);
    fs.closeSync(second);
  }
}

/** Folders that contain only the mirror's own files. */
const WHOLE_FOLDERS = ['runs', 'events'];

/**
 * Moves the files of another ledger into a folder of their own, so that none of them counts as a person's edit. The
 * companion folders of tasks stay: they hold the work of agents. Called again after a crash, it moves the rest.
 */
export function setTreeAside(root: string, name: string): void {
  const aside = join(root, name);
  for (const folder of WHOLE_FOLDERS) {
    const from = join(root, folder);
    const to = join(aside, folder);
    if (existsSync(from) && !existsSync(to)) moveInto(aside, from, to);
  }
  for (const folder of STATUS_FOLDERS) {
    const from = join(root, folder);
    const files = existsSync(from) ? readdirSync(from).filter((file) => file.endsWith('.md')) : [];
    for (const file of files) moveInto(join(aside, folder), join(from, file), join(aside, folder, file));
  }
}

function moveInto(folder: string, from: string, to: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  renameSync(from, to);
}

/**
 * Moves files and folders of known tasks that lie under another status than their task's: it removes Baton's own
 * files, sets a person's files aside beside the task's file, and moves companion folders to their task.
 */
async function returnStrays({ files, trouble, slice }: TreeParts, read: Reader): Promise<void> {
  slice.begin();
  files.forgetFolders();
  for (const folder of STATUS_FOLDERS) {
    const entries = trouble.guard(() => entriesOf(files.at(folder))) ?? [];
    await files.sweep(folder);
    for (const name of entries) {
      if (slice.isOver) await slice.rest();
      const task = name.replace(/\.md$/, '');
      if (!isTaskName(task)) continue;
      const status = selectTaskStatus(read, task);
      if (status === null || folder === `tasks/${status}`) continue;
      trouble.guard(() => returnStray({ path: `${folder}/${name}`, task, status }, files, read));
    }
  }
}

interface Stray {
  readonly path: string;
  readonly task: TaskName;
  readonly status: TaskStatus;
}

function returnStray({ path, task, status }: Stray, files: TreeParts['files'], read: Reader): void {
  if (!path.endsWith('.md')) {
    moveFolder(files, path, companionPath(status, task));
    return;
  }
  const own = selectMirrorFiles(read, task).flatMap((row) => [row.sha256, row.nextSha256]);
  files.remove({ path, own: own.filter((each) => each !== null) }, taskPath(status, task));
}

/** Empty for a missing folder or a link. */
function entriesOf(folder: string): string[] {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() ? fs.readdirSync(folder) : [];
}
