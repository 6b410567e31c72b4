import { TASK_FILE_BYTES_MAX } from '../domain/limits.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import { hasTask } from '../ledger/statements/tasks.ts';
import { copyOf, isStill } from './find-copies.ts';
import { readTreeFile } from './read-tree-file.ts';
import type { LookAnswer, ReconcileParts } from './reconcile-parts.ts';
import type { NewFile } from './tree-commands.ts';

/** A file with no name of a known task: the known task that it says it is of, or what came of it. */
export function lookAtNewFile(path: string, parts: ReconcileParts): TaskName | Promise<LookAnswer> {
  const reading = readTreeFile({ root: parts.root, path, bytesMax: TASK_FILE_BYTES_MAX });
  const copy = copyOf(path, reading);
  if (copy.kind === 'absent') return Promise.resolve('done');
  const id = copy.kind === 'file' ? (copy.content?.id ?? null) : null;
  if (id !== null && hasTask(parts.read, id)) return id as TaskName;
  if (!isStill(copy, reading, parts.still)) return Promise.resolve('unsettled');
  if (copy.kind === 'unreadable') return leave(path, copy.problem, parts);
  if (copy.kind === 'empty' || copy.content === null) return leave(path, 'it is empty', parts);
  if (copy.folder === null) return leave(path, 'it lies in the folder of no status', parts);
  return adopt({ path, sha256: copy.sha256, folder: copy.folder, content: copy.content }, parts);
}

async function adopt(file: NewFile, parts: ReconcileParts): Promise<LookAnswer> {
  const adopted = await parts.ledger.submit(parts.commands.adoptFile, file);
  if (isRefusal(adopted) || adopted.kind === 'later') return 'later';
  return adopted.kind === 'adopted' ? 'done' : await leave(file.path, adopted.problem, parts);
}

/** Kept as it is, and told of once. */
async function leave(path: string, problem: string, { ledger, commands }: ReconcileParts): Promise<LookAnswer> {
  const detail = `${path} is no task yet and was left as it is: ${problem}`;
  await ledger.submit(commands.openTrouble, { kind: 'unreadable_file', path, taskId: null, detail });
  return 'done';
}
