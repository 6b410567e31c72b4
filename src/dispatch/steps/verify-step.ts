import { attemptNumber, firstCommit } from '../../domain/execution/execution.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import type { OpenOrder } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { checkOldTests, checkWork } from '../workplace/check-work.ts';

import { searchAfter } from '../workplace/record-state.ts';
import { folderOfExecution } from '../workplace/work-folder.ts';

/** Runs the checks after an attempt. */
export async function verifyStep(
  world: RunWorld,
  at: OpenOrder & { readonly runId: string },
  signal: AbortSignal,
): Promise<Extract<Fact, { readonly kind: 'verified' }>> {
  const { execution, runId } = at;
  const workplace = execution.snapshotted?.workplace ?? { kind: 'in-place' };
  const folder = folderOfExecution(execution, world.dataFolder);
  const name = `verified-${attemptNumber(execution, runId)}`;
  const search = () => searchAfter(world, at, folder);
  const ignoredBase = execution.snapshotted?.ignoredState;
  const question = { workplace, folder, basis: firstCommit(execution), name, signal, search, ignoredBase };
  const verification = await checkWork(world, at, question);
  const attempt = execution.attempts.findLast((each) => each.runId === runId);
  const oldTests = attempt ? await checkOldTests(world, at, { attempt, verification, signal }) : null;
  return { kind: 'verified', runId, ...verification, ...(oldTests && { oldTests }) };
}
