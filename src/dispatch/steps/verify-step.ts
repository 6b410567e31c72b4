import { attemptNumber, currentRun } from '../../domain/execution/execution.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import { firstCommit } from '../../domain/execution/recorded-changes.ts';
import type { OpenOrder } from '../order-store.ts';
import type { RunWorld } from '../run-world.ts';
import { checkOldTests } from '../workplace/check-old-tests.ts';
import { checkWork } from '../workplace/check-work.ts';
import { searchAfter } from '../workplace/record-state.ts';
import { folderOfExecution } from '../workplace/work-folder.ts';

/** Runs the checks after an attempt. */
export async function verifyStep(
  world: RunWorld,
  at: OpenOrder,
  signal: AbortSignal,
): Promise<Extract<Fact, { readonly kind: 'verified' }>> {
  const { execution } = at;
  const attempt = currentRun(execution);
  const { runId } = attempt;
  const workplace = execution.snapshotted?.workplace ?? { kind: 'in-place' };
  const folder = folderOfExecution(execution, world.dataFolder);
  const name = `verified-${attemptNumber(execution, runId)}`;
  const search = () => searchAfter(world, at, folder);
  const ignoredBase = execution.snapshotted?.ignoredState;
  const question = { workplace, folder, basis: firstCommit(execution), name, signal, search, ignoredBase };
  const verification = await checkWork(world, at, question);
  const oldTests = await checkOldTests(world, at, { attempt, verification, signal });
  return { kind: 'verified', runId, ...verification, ...(oldTests && { oldTests }) };
}
