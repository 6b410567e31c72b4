import { existsSync } from 'node:fs';
import type { RunWorld } from '../../dispatch/run-world.ts';
import type { LeftWork } from '../../dispatch/work-of-task.ts';
import { verifyWork } from '../../dispatch/workplace/check-work.ts';
import { findRecordedWorkspace, refuseGone } from '../../dispatch/workplace/recorded-workspace.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { VerifyAnswer } from '../order-contract.ts';

/** Runs the checks of a task again where it was done. */
export async function verifyAnswer(world: RunWorld, { task, execution }: LeftWork): Promise<VerifyAnswer | Refusal> {
  const workplace = execution.snapshotted?.workplace ?? { kind: 'in-place' };
  if (workplace.kind === 'worktree' && !existsSync(workplace.folder)) {
    const refusal = refuse('invalid_argument', `${task.id} was done in a worktree, which was dropped`);
    return { ...refusal, hint: `baton apply ${task.id} brings it into your files; check them there` };
  }
  const elsewhere = await refuseElsewhere(world, execution);
  if (elsewhere) return elsewhere;
  const { results } = await verifyWork(world, { task: task.id, execution, workplace });
  const checked = results.filter(({ result }) => result !== 'not-checkable');
  return { task: task.id, isPassed: checked.length > 0 && checked.every(({ result }) => result === 'passed'), results };
}

/** The checks of a task run where it was done, which is not here in a copied or moved repository. */
async function refuseElsewhere(
  { dataFolder }: RunWorld,
  { order, snapshotted }: LeftWork['execution'],
): Promise<Refusal | null> {
  const repository = snapshotted?.repository;
  if (!snapshotted || !repository) return null;
  const found = await findRecordedWorkspace({ ...snapshotted, repository }, dataFolder);
  if (isRefusal(found)) return found;
  if (found.isGone) return refuseGone(repository.root);
  if (found.recordedIn === undefined) return null;
  const message = `the task was done in ${order.workspaceRoot}; ${found.repository.root} is a copy of it, or it was moved`;
  return { ...refuse('invalid_argument', message), hint: 'run the checks by hand, or in a new task' };
}
