import { findJudgingFiles } from '../../domain/decisions/find-judging-files.ts';
import { type Attempt, type Execution, firstCommit } from '../../domain/execution/execution.ts';
import type { OldTests } from '../../domain/execution/findings.ts';
import type { OpenOrder } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { type Verification, verifyIn } from './check-work.ts';
import { inScratch } from './scratch-folder.ts';
import { folderOfExecution, pathFromRoot } from './work-folder.ts';

/** An attempt whose checks passed. */
export interface PassedAttempt {
  readonly attempt: Attempt;
  readonly verification: Verification;
  readonly signal: AbortSignal;
}

/**
 * Runs the checks once more where the work changed files that judge it: in a scratch copy that has those files as they
 * were before. Null if the work changed none, or if a check failed anyway.
 */
export async function checkOldTests(world: RunWorld, at: OpenOrder, passed: PassedAttempt): Promise<OldTests | null> {
  const { attempt, verification, signal } = passed;
  const { execution } = at;
  const files = judgingFiles(execution, attempt, verification);
  if (files.length === 0) return null;
  const folder = folderOfExecution(execution, world.dataFolder);
  const [before, after] = [firstCommit(execution), attempt.collected?.commit ?? null];
  if (folder.shadows === null || folder.repository === null || before === null || after === null) {
    return { files, result: 'not-compared', message: 'there is no git to take the earlier files from' };
  }
  const paths = files.map((path) => pathFromRoot(path, execution.order, folder));
  const shadows = { ...folder.shadows, signal };
  const tryWith = (earlier: readonly string[]) =>
    inScratch(world, { at, folder, shadows, wanted: { before, after, paths: earlier } }, (copy) =>
      verifyIn(world, { task: at.task.id, execution: copy.execution, signal }, copy.folder),
    );
  const failed = firstFailure(await tryWith(paths));
  if (failed === null) return { files, result: 'passed', message: 'the checks pass with the earlier versions, too' };
  // The same copy with the new files tells whether the copy itself is to blame.
  const control = firstFailure(await tryWith([]));
  if (control === null) return { files, result: 'failed', message: failed };
  return { files, result: 'not-compared', message: `the checks do not pass in a copy of the workspace: ${control}` };
}

function judgingFiles({ order }: Execution, { collected }: Attempt, { made, results }: Verification) {
  if (results.some(({ result }) => result === 'failed' || result === 'could-not-run')) return [];
  const { outputs, workspaceRoot } = order;
  return findJudgingFiles({ made, changed: collected?.changed ?? [], outputs, workspaceRoot });
}

function firstFailure({ results }: Verification): string | null {
  return results.find(({ result }) => result === 'failed' || result === 'could-not-run')?.message ?? null;
}
