import { TASK_FILE_BYTES_MAX } from '../domain/limits.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { upsertMirrorFile } from '../ledger/statements/mirror-files.ts';
import { hasTask } from '../ledger/statements/tasks.ts';
import { type Adoption, adoptTask } from '../operations/task/adopt-task.ts';
import { copyOf, hasSettled } from './find-copies.ts';
import { readTreeFile } from './read-tree-file.ts';
import type { ReconcileParts, ReconcileState } from './reconcile-parts.ts';
import { openTrouble } from './tree-troubles.ts';

export interface NewFile {
  readonly path: string;
  readonly sha256: string;
  readonly folder: Adoption['status'];
  readonly content: Adoption['content'];
}

export type AdoptedFile =
  | { readonly kind: 'adopted'; readonly task: Task }
  | { readonly kind: 'later' }
  | { readonly kind: 'refused'; readonly problem: string };

/** Makes a task of a file that a person put into the tree; the status is that of its folder (aof:hand-edits). */
const adoptFile: Command<NewFile, AdoptedFile> = (tx, { path, sha256, folder, content }) => {
  if (content.id !== null && hasTask(tx, content.id)) return { kind: 'later' };
  const task = adoptTask(tx, { content, status: folder, path });
  if (isRefusal(task)) return { kind: 'refused', problem: task.message };
  // From here on the file counts as Baton's: the mirror overwrites it, or removes it if the task has another name.
  upsertMirrorFile(tx, { path, taskId: task.id, sha256, nextSha256: null, revision: task.revision });
  return { kind: 'adopted', task };
};

/** Checks a file that is not named for a known task. Returns the known task whose id it contains, or the result. */
export function checkNewFile(path: string, parts: ReconcileParts): TaskName | Promise<ReconcileState> {
  const reading = readTreeFile({ root: parts.root, path, bytesMax: TASK_FILE_BYTES_MAX });
  const copy = copyOf(path, reading);
  if (copy.kind === 'absent') return Promise.resolve('done');
  const id = copy.kind === 'file' ? (copy.content?.id ?? null) : null;
  if (id !== null && hasTask(parts.read, id)) return id as TaskName;
  if (!hasSettled(copy, reading, parts.unsettled)) return Promise.resolve('unsettled');
  if (copy.kind === 'unreadable') return leave(path, copy.problem, parts);
  if (copy.kind === 'empty' || copy.content === null) return leave(path, 'it is empty', parts);
  if (copy.folder === null) return leave(path, 'its folder is not a status', parts);
  return adopt({ path, sha256: copy.sha256, folder: copy.folder, content: copy.content }, parts);
}

async function adopt(file: NewFile, parts: ReconcileParts): Promise<ReconcileState> {
  const adopted = await parts.ledger.submit(adoptFile, file);
  if (isRefusal(adopted) || adopted.kind === 'later') return 'later';
  return adopted.kind === 'adopted' ? 'done' : await leave(file.path, adopted.problem, parts);
}

/** Leaves the file as it is and opens an incident once. */
async function leave(path: string, problem: string, { ledger }: ReconcileParts): Promise<ReconcileState> {
  const detail = `${path} is not a task yet and was left as it is: ${problem}`;
  await ledger.submit(openTrouble, { kind: 'unreadable_file', path, taskId: null, detail });
  return 'done';
}
