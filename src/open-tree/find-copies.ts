import { TASK_FILE_BYTES_MAX, TREE_QUIET_MS, TREE_UNREADABLE_MS } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';
import { TASK_STATUSES, type TaskStatus } from '../domain/task/task-lifecycle.ts';
import type { FileIncident } from '../ledger/statements/incidents.ts';
import { selectMirrorFiles } from '../ledger/statements/mirror-files.ts';
import { hasTask, selectTaskStatus } from '../ledger/statements/tasks.ts';
import { isTaskFile, STATUS_FOLDERS, taskPath } from '../tree/tree-paths.ts';
import type { UnsettledFiles } from './file-states.ts';
import type { Copy } from './read-ledger-file.ts';
import { readEditedTaskFile } from './read-task-file.ts';
import { type FileReading, readTreeFile } from './read-tree-file.ts';
import type { ReconcileParts } from './reconcile-parts.ts';

/** All files of a task; null if an editor may still be writing one of them. */
export function findCopies(task: TaskName, extra: Iterable<string>, parts: ReconcileParts): Copy[] | null {
  const rows = selectMirrorFiles(parts.read, task);
  const own = new Set(rows.flatMap(({ sha256, nextSha256 }) => [sha256, nextSha256]));
  const status = selectTaskStatus(parts.read, task);
  const ownPaths = rows.filter(({ path }) => isTaskFile(path, task)).map(({ path }) => path);
  if (status !== null) ownPaths.push(taskPath(status, task));
  const [ownPath = ''] = ownPaths;
  const copies = new Map<string, Copy | null>();
  const look = (path: string) => copies.has(path) || copies.set(path, copyAt(path, own, parts));
  for (const path of [...ownPaths, ...extra]) look(path);
  if (copies.get(ownPath)?.kind === 'absent') for (const each of TASK_STATUSES) look(taskPath(each, task));
  const found = [...copies.values()];
  if (found.includes(null)) return null;
  const isGone = found.every((copy) => copy?.kind === 'absent');
  // An editor that saves by renaming removes the file for a moment.
  if (isGone && !parts.unsettled.hasSettled({ path: ownPath, sha256: '', stamp: null, quietMs: TREE_QUIET_MS }))
    return null;
  return (found as Copy[]).filter(({ kind, path }) => kind !== 'absent' || ownPaths.includes(path));
}

function copyAt(path: string, own: ReadonlySet<string | null>, { root, seen, unsettled }: ReconcileParts): Copy | null {
  const reading = readTreeFile({ root, path, bytesMax: TASK_FILE_BYTES_MAX });
  const folder = folderStatus(path);
  if (reading.kind === 'file' && own.has(reading.sha256)) {
    seen.remember(path, reading.stamp);
    const { sha256, stamp } = reading;
    return { kind: 'file', path, sha256, folder, content: null, revision: null, changedAtMs: stamp.ctimeMs };
  }
  const copy = copyOf(path, reading);
  return copy.kind === 'absent' || hasSettled(copy, reading, unsettled) ? copy : null;
}

/** A file that is not Baton's, parsed as far as possible. */
export function copyOf(path: string, reading: FileReading): Copy {
  const unread = { path, revision: null, changedAtMs: null };
  if (reading.kind === 'absent') return { kind: 'absent', ...unread };
  if (reading.kind === 'strange') return { kind: 'unreadable', problem: reading.problem, ...unread };
  const { sha256, stamp } = reading;
  const folder = folderStatus(path);
  const task = readEditedTaskFile(reading.bytes, folder);
  const changedAtMs = stamp.ctimeMs;
  if (task.kind === 'empty') return { kind: 'empty', ...unread, sha256, changedAtMs };
  if (task.kind === 'unreadable') return { kind: 'unreadable', problem: task.problem, ...unread };
  return { kind: 'file', path, sha256, folder, content: task.content, revision: task.revision, changedAtMs };
}

export function hasSettled(copy: Copy, reading: FileReading, unsettled: UnsettledFiles): boolean {
  if (reading.kind === 'absent' || reading.kind === 'strange') return true;
  const quietMs = copy.kind === 'file' ? TREE_QUIET_MS : TREE_UNREADABLE_MS;
  return unsettled.hasSettled({ path: copy.path, sha256: reading.sha256, stamp: reading.stamp, quietMs });
}

/** The status of the folder that a file lies in. */
function folderStatus(path: string): TaskStatus | null {
  const at = STATUS_FOLDERS.findIndex((folder) => path.startsWith(`${folder}/`) && path.split('/').length === 3);
  return TASK_STATUSES[at] ?? null;
}

/** Can the file of an `unreadable_file` incident be read now? A file of no known task stays open until it is adopted. */
export function isReadable({ path, taskId }: FileIncident, { root, read }: ReconcileParts): boolean {
  const reading = readTreeFile({ root, path, bytesMax: TASK_FILE_BYTES_MAX });
  if (reading.kind !== 'file') return false;
  if (taskId !== null && selectMirrorFiles(read, taskId).some((row) => row.sha256 === reading.sha256)) return true;
  const copy = copyOf(path, reading);
  return copy.kind === 'file' && copy.content !== null && copy.content.id !== null && hasTask(read, copy.content.id);
}
