import { currentRun } from '../../domain/execution/execution.ts';
import type { TheirChanges } from '../../domain/execution/findings.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { rebaseWork } from '../../workspace/merge/rebase-work.ts';
import { type Shadow, takeShadow } from '../../workspace/shadow/take-shadow.ts';
import type { WorkWorld } from '../work-world.ts';
import { recordIgnored, recordState } from './record-state.ts';
import { folderOfExecution, type WorkFolder } from './work-folder.ts';

/**
 * Changes of a person in their own files since the last run of an order ended: the node was down meanwhile, or the order
 * waited. They belong to the user, so the states from before the work get them, too. Null before the first run, and where nothing changed.
 */
export async function changedBetween(world: WorkWorld, open: OpenOrder): Promise<TheirChanges | null> {
  const { execution, task, round } = open;
  const { snapshotted, attempts, order } = execution;
  const { runId } = currentRun(execution);
  const last = attempts.findLast((attempt) => attempt.collected?.commit && attempt.runId !== runId);
  const left = last?.verified?.commit ?? last?.collected?.commit ?? null;
  const folder = folderOfExecution(execution, world.dataFolder);
  if (!snapshotted?.commit || left === null || folder.shadows === null) return null;
  if (snapshotted.workplace.kind !== 'in-place' || order.access.writePaths.length === 0) return null;
  const { commit, checkedCommit } = snapshotted;
  const atMs = world.clock.now().wallMs;
  const label = `${round}/resumed-${attempts.length}`;
  const present = await takeShadow(folder.shadows, {
    task: task.id,
    label,
    atMs,
    basis: left,
    findsUnrecorded: true,
  });
  const before = checkedCommit === null ? [commit] : [commit, checkedCommit];
  const question = { task: task.id, label, left, before, beforeLabel: `${round}/before`, atMs };
  const found = await rebaseWork(folder.shadows, question, present);
  const beside = await statesNow(world, { snapshotted, last, folder, present });
  if (found === null && Object.keys(beside).length === 0) return null;
  const [first = commit, checked = null] = found?.before ?? before;
  const { files = [], overlapping = [] } = found ?? {};
  return { commit: first, checkedCommit: checked, files, overlapping, ...beside };
}

interface StatesQuestion {
  readonly snapshotted: NonNullable<OpenOrder['execution']['snapshotted']>;
  readonly last: OpenOrder['execution']['attempts'][number] | undefined;
  readonly folder: WorkFolder;
  readonly present: Shadow;
}

/** The states of git and of ignored files, where they differ from those before the work and no run changed any of them. */
async function statesNow(
  world: WorkWorld,
  { snapshotted, last, folder, present }: StatesQuestion,
): Promise<Pick<TheirChanges, 'gitState' | 'ignoredState'>> {
  const { gitChanges = [], ignoredChanges = [] } = last?.collected ?? {};
  const [gitState, ignoredState] = await Promise.all([
    gitChanges.length === 0 ? recordState(world, folder) : null,
    ignoredChanges.length === 0 ? recordIgnored(world, folder, present) : null,
  ]);
  const ignoredBefore = snapshotted.checkedIgnored ?? snapshotted.ignoredState;
  return {
    ...(gitState !== null && snapshotted.gitState !== undefined && gitState !== snapshotted.gitState && { gitState }),
    ...(ignoredState !== null && ignoredBefore !== undefined && ignoredState !== ignoredBefore && { ignoredState }),
  };
}
