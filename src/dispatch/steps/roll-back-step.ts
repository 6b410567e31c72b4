import type { Fact, RollbackTrigger } from '../../domain/execution/fact.ts';
import { restoreSnapshots } from '../../workspace/snapshot/restore-snapshots.ts';
import type { OrderAtHand } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { workFolderOf } from '../work-folder.ts';
import { rollbackMessage } from './rollback-message.ts';
import { snapshotHome } from './snapshot-home-of.ts';

/** Puts the outputs that were kept back as they were, each by itself. */
export async function rollBackStep(
  world: RunWorld,
  at: OrderAtHand,
  trigger: RollbackTrigger,
): Promise<Extract<Fact, { readonly kind: 'rolled-back' }>> {
  const { order, snapshotted } = at.execution;
  const workplace = snapshotted?.workplace ?? { kind: 'in-place' };
  const head = snapshotted?.head ?? null;
  const folder = workFolderOf({ order, workplace, dataFolder: world.dataFolder, head });
  const files = await restoreSnapshots(snapshotHome(world, at, folder), snapshotted?.files ?? []);
  const message = rollbackMessage({ order, trigger, files, atMs: world.clock.now().wallMs });
  return { kind: 'rolled-back', trigger, files, message };
}
