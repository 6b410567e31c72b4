import type { Execution } from '../domain/execution/execution.ts';
import { firstCommit, lastCommit, leftCommit } from '../domain/execution/recorded-changes.ts';
import { continuesInPlace } from '../domain/execution/whole-work.ts';
import type { RunSpan } from '../domain/work/point.ts';
import { changedFiles } from '../workspace/diff-shadows.ts';
import { withoutRuns } from '../workspace/merge/without-runs.ts';
import type { ShadowPlace } from '../workspace/shadow/private-repository.ts';

/** The beginning of the work of a task. */
export interface FirstState {
  /** The shadow commit before the agent's work, and the one before everything that ran for the order. */
  readonly before: string;
  readonly found: string;
  /** The round that started from `found`. */
  readonly firstRound: number;
  /** Rounds before that one, newest first: a person changed files between them. */
  readonly earlierSpans: readonly RunSpan[];
  /** The same rounds without files that Baton's checks wrote. */
  readonly earlierWork: readonly RunSpan[];
}

/** The state before the first of several rounds between which the user changed nothing, and the rounds before those. */
export async function firstState(
  theirs: ShadowPlace,
  states: FirstState,
  { earlier }: { earlier(): readonly Execution[] },
): Promise<FirstState> {
  const first = { before: states.before, found: states.found, firstRound: states.firstRound };
  const spans: RunSpan[] = [];
  const work: RunSpan[] = [];
  for (const execution of earlier()) {
    const { snapshotted } = execution;
    const left = leftCommit(execution);
    if (!continuesInPlace(execution) || !snapshotted?.commit || left === null) break;
    // Recorded before the repository was copied or moved.
    if (snapshotted.repository?.root !== (theirs.recordedIn ?? theirs.repository).root) break;
    const isNext =
      spans.length === 0 && (await changedFiles(theirs, { before: left, after: first.found })).length === 0;
    if (isNext) {
      first.before = firstCommit(execution) ?? snapshotted.commit;
      first.found = snapshotted.commit;
      first.firstRound -= 1;
    } else {
      spans.push({ before: snapshotted.commit, after: left });
      work.push({ before: firstCommit(execution) ?? snapshotted.commit, after: lastCommit(execution) ?? left });
    }
  }
  return { ...first, earlierSpans: spans, earlierWork: work };
}

/** The files as they would be had no round of the task run; with all that a person changed between the rounds. */
export function stateWithoutWork({
  theirs,
  before,
  earlierWork,
}: Pick<FirstState, 'before' | 'earlierWork'> & { readonly theirs: ShadowPlace }): Promise<string> {
  return withoutRuns(theirs, before, earlierWork);
}
