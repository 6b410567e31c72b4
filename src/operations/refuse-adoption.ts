import { refuseBusyResource } from '../domain/decisions/decide-claim.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import { hasTask } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import type { NewFile } from '../tree/tree-commands.ts';
import { adoptedTask } from './insert-adopted.ts';
import { readWaits } from './read-waits.ts';
import { refuseTyped } from './refuse-typed.ts';

/** Why a file cannot be a task as it is; null where nothing is against it. */
export function refuseAdoption(tx: Tx, { content, folder }: NewFile): Refusal | null {
  const { parentId } = content.fixed;
  if (parentId !== undefined && !hasTask(tx, parentId)) {
    return refuse('parent_not_found', `there is no task ${parentId}, which it names as its parent`, '/parentId');
  }
  const refusal = refuseTyped(tx, content.text, content.id);
  if (refusal || folder !== 'in-progress') return refusal;
  const probe = { ...adoptedTask(tx, content), id: '' as TaskName };
  return refuseBusyResource(probe, readWaits(tx, probe));
}
