import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { MIRROR_FILE_BYTES_MAX } from '../domain/limits.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import { makeFoldersIn } from '../platform/files/make-folders.ts';
import { crashPoint } from '../platform/process/crash-point.ts';
import { rejectedNames } from '../tree/tree-files.ts';
import { readTreeFile } from './read-tree-file.ts';
import type { ReconcileParts, ReconcileState } from './reconcile-parts.ts';
import { openTrouble } from './tree-troubles.ts';

/** Changes the files as the ledger decided. The mirror writes the rest. */
export type TreeVerdict =
  /** The mirror has yet to write the task, or the ledger changed while the files were read. */
  | { readonly kind: 'later' }
  | {
      readonly kind: 'judged';
      /** Files to remove if they still have this content. */
      readonly removals: readonly { readonly path: string; readonly sha256: string }[];
      /** Files to rename. */
      readonly asides: readonly { readonly path: string; readonly as: string }[];
      readonly unreadable: readonly { readonly path: string; readonly problem: string }[];
      readonly events: readonly LedgerEvent[];
    };

/** Removes and renames files. A file that changed in the meantime stays and is read again. */
export async function performJudged(
  judged: TreeVerdict | Refusal,
  taskId: TaskName,
  { root, ledger }: ReconcileParts,
): Promise<ReconcileState> {
  if (isRefusal(judged) || judged.kind === 'later') return 'later';
  for (const { path, as } of judged.asides) setAside(root, path, as);
  for (const { path, sha256 } of judged.removals) {
    const reading = readTreeFile({ root, path, bytesMax: MIRROR_FILE_BYTES_MAX });
    if (reading.kind !== 'file' || reading.sha256 !== sha256) continue;
    fs.unlinkSync(join(root, path));
    crashPoint('mirror.removed');
  }
  for (const { path, problem } of judged.unreadable) {
    const detail = `${path} cannot be read and was left as it is: ${problem}`;
    await ledger.submit(openTrouble, { kind: 'unreadable_file', path, taskId, detail });
  }
  return 'done';
}

function setAside(root: string, path: string, as: string): void {
  if (!fs.lstatSync(join(root, path), { throwIfNoEntry: false })) return;
  const isTaken = fs.lstatSync(join(root, as), { throwIfNoEntry: false }) !== undefined;
  const name = isTaken ? (rejectedNames(root, as, 1)[0] ?? as) : as;
  makeFoldersIn(root, dirname(join(root, name)));
  fs.renameSync(join(root, path), join(root, name));
}
