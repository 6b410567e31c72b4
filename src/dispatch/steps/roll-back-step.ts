import type { Fact } from '../../domain/execution/fact.ts';
import type { RollbackTrigger } from '../../domain/execution/findings.ts';
import { takeShadow } from '../../workspace/shadow/take-shadow.ts';
import { restoreSnapshots } from '../../workspace/snapshot/restore-snapshots.ts';
import type { OpenOrder } from '../order-store.ts';
import type { RunWorld } from '../run-world.ts';
import { recordedState } from '../workplace/record-state.ts';
import { folderOfExecution, snapshotHome } from '../workplace/work-folder.ts';

/** Restores the outputs that have a snapshot, one by one. */
export async function rollBackStep(
  world: RunWorld,
  at: OpenOrder,
  trigger: RollbackTrigger,
): Promise<Extract<Fact, { readonly kind: 'rolled-back' }>> {
  const { snapshotted, attempts } = at.execution;
  const folder = folderOfExecution(at.execution, world.dataFolder);
  const files = await restoreSnapshots(snapshotHome(world, at, folder), snapshotted?.files ?? []);
  const atMs = world.clock.now().wallMs;
  const basis = snapshotted?.commit ?? null;
  // A later undo starts from the files after the rollback, not from the agent's.
  const wantsShadow = basis !== null && attempts.some(({ collected }) => collected?.commit);
  const label = `${at.round}/rolled-back`;
  const shadow =
    folder.shadows && wantsShadow ? await takeShadow(folder.shadows, { task: at.task.id, label, basis, atMs }) : null;
  const recorded =
    folder.shadows && shadow ? await recordedState(world, folder.shadows, { task: at.task.id, label, shadow }) : null;
  const commit = shadow?.commit ?? null;
  return { kind: 'rolled-back', trigger, files, commit, ...(recorded && { recorded }), at: atMs };
}
