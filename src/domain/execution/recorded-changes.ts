import type { WholeWork } from '../order/report.ts';
import { counted } from '../words/counted.ts';
import { type GitChange, gitChangeText } from '../work/git-state.ts';
import { ignoredTexts } from '../work/ignored-files.ts';
import { isWithin, wholePath } from '../work/path-text.ts';
import type { WorkState } from '../work/work-state.ts';
import type { Attempt, Execution } from './execution.ts';
import type { ChangedFile, GitChanges, GitSearch, IgnoredFindings } from './findings.ts';

/** The last search for what git executes: after the checks if a program ran, else after the run. */
export function gitSearchOf(execution: Pick<Execution, 'attempts'>): Required<GitSearch> {
  const last = execution.attempts.findLast(({ collected }) => collected !== null);
  const found = last?.verified?.executedByGit ? last.verified : last?.collected;
  return { executedByGit: found?.executedByGit ?? [], notLookedAt: found?.notLookedAt ?? [] };
}

/** Changes of git itself by the work and then by its checks. */
export function gitChangesOf({
  attempts,
}: Pick<Execution, 'attempts'>): GitChanges & { gitChanges: readonly GitChange[] } {
  const last = attempts.findLast(({ collected }) => collected !== null);
  const {
    gitChanges = [],
    gitState,
    ownCommits,
  } = (last?.verified?.gitChanges ? last.verified : last?.collected) ?? {};
  return { gitChanges, ...(gitState !== undefined && { gitState }), ...(ownCommits && { ownCommits }) };
}

/** Changes of ignored files by the work, and their state after it and its checks. */
export function ignoredOf({
  attempts,
}: Pick<Execution, 'attempts'>): Required<Pick<IgnoredFindings, 'ignoredChanges'>> & IgnoredFindings {
  const { collected, verified } = attempts.findLast((attempt) => attempt.collected !== null) ?? {};
  const ignoredState = verified?.ignoredState ?? collected?.ignoredState;
  return { ignoredChanges: collected?.ignoredChanges ?? [], ...(ignoredState !== undefined && { ignoredState }) };
}

/** Sentences about ignored files that the work changed. */
export function ignoredSentences(execution: Pick<Execution, 'attempts'>): readonly string[] {
  return ignoredTexts(ignoredOf(execution).ignoredChanges);
}

/** One line for each change of git itself: branches, tags, HEAD, index, stash. */
export function gitTexts(execution: Pick<Execution, 'attempts' | 'snapshotted'>, task: string): readonly string[] {
  const { gitChanges, ownCommits } = gitChangesOf(execution);
  const texts = gitChanges.map((change) => `git: ${gitChangeText(change)}`);
  if (ownCommits === undefined || execution.snapshotted?.workplace.kind !== 'worktree') return texts;
  const commits = counted(ownCommits.count, 'commit');
  return [...texts, `git: ${commits} by the agent: baton apply ${task} --branch NAME --commits keeps them`];
}

/** The shadow commit before the work, with files that checks had written; null without git. */
export function firstCommit({ snapshotted }: Pick<Execution, 'snapshotted'>): string | null {
  return snapshotted?.checkedCommit ?? snapshotted?.commit ?? null;
}

/** The shadow commit after the work; null without git. */
export function lastCommit(execution: Execution): string | null {
  const { rewound, rolledBack } = execution;
  return rewound?.commit ?? rolledBack?.commit ?? lastRecorded(execution)?.collected?.commit ?? null;
}

/** The shadow commit after the work and its checks. */
export function leftCommit(execution: Execution): string | null {
  if (execution.rewound) return execution.rewound.commit;
  return execution.rolledBack?.commit ?? lastRecorded(execution)?.verified?.commit ?? lastCommit(execution);
}

function lastRecorded({ attempts }: Execution): Attempt | undefined {
  return attempts.findLast(({ collected }) => collected?.commit);
}

/** The files that the work changed, without those that were restored and those below a restored folder. */
export function changesLeft({ order, attempts, rolledBack }: Execution): readonly ChangedFile[] {
  const whole = (path: string) => wholePath(order.workspaceRoot, path);
  const restored = (rolledBack?.files ?? [])
    .filter(({ status }) => status === 'restored')
    .map(({ path }) => whole(path));
  const changed = attempts.findLast((attempt) => attempt.collected !== null)?.collected?.changed ?? [];
  return changed.filter(({ path }) => !restored.some((kept) => isWithin(kept, whole(path))));
}

/** The files that the work of a task left changed, in all rounds that wait together. */
export function workLeft(execution: Execution): WholeWork['files'] {
  return execution.reported?.report.whole?.files ?? changesLeft(execution);
}

/** The state of work whose order was just reported. Work in the user's own files waits for nobody. */
export function workAfterReport(execution: Execution): WorkState | null {
  const isApart = execution.snapshotted?.workplace.kind === 'worktree';
  return isApart && changesLeft(execution).length > 0 ? 'waiting' : null;
}
