import { gitChangesOf } from '../domain/execution/execution.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import { branchRun } from '../workspace/branch-run.ts';
import { changedFiles } from '../workspace/diff-shadows.ts';
import type { RunWorld } from './run-world.ts';
import { changeableStates, type LeftWork, nothingDone, type WorkDone } from './work/work.ts';

export interface BranchRequest {
  readonly branch: string;
  /** Keeps the agent's own commits; a further one has the rest of the work. */
  readonly keepsCommits: boolean;
}

/** Puts the work on a new branch, and leaves the user's files as they are. */
export async function branchOf(
  world: RunWorld,
  work: LeftWork,
  { branch, keepsCommits }: BranchRequest,
): Promise<WorkDone | Refusal> {
  const states = await changeableStates(world, work);
  if (isRefusal(states)) return states;
  const { before, after, theirs } = states;
  const { ownCommits } = gitChangesOf(work.execution);
  if (keepsCommits && ownCommits === undefined) return noCommits(work);
  const made = await branchRun(theirs, {
    branch,
    message: `${work.task.title}\n\nBaton-Task: ${work.task.id}\n`,
    tip: keepsCommits ? (ownCommits?.tip ?? null) : null,
    before,
    after,
    head: work.execution.snapshotted?.head ?? null,
    atMs: world.clock.now().wallMs,
  });
  if (isRefusal(made)) return made;
  const files = await changedFiles(theirs, { before, after });
  return { ...nothingDone(states), branch: made.branch, commit: made.commit, files: files.map(({ path }) => path) };
}

function noCommits({ task }: LeftWork): Refusal {
  const message = `the agent of ${task.id} made no commits that follow the one it started from`;
  return { ...refuse('invalid_argument', message), hint: 'leave out --commits: then the work becomes one commit' };
}
