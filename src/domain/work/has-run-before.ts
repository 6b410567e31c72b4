import type { MadeCheck } from '../execution/check-result.ts';
import type { Execution } from '../execution/execution.ts';
import type { Workplace } from '../execution/findings.ts';

/** The checks that a round made before and after its work, and the folder that it made them in. */
export interface CheckedRound {
  readonly snapshotted: Pick<NonNullable<Execution['snapshotted']>, 'workplace' | 'made'> | null;
  readonly attempts: readonly { readonly verified: { readonly made: readonly MadeCheck[] } | null }[];
}

/**
 * aop:words: whether a round ran this command in the same folder before. Then the folder has all that the command needs, and a
 * module that it lacks now is missing because of the work.
 */
export function hasRunBefore(argv: readonly string[], workplace: Workplace, rounds: readonly CheckedRound[]): boolean {
  return rounds.some(({ snapshotted, attempts }) => {
    if (snapshotted === null || placeOf(snapshotted.workplace) !== placeOf(workplace)) return false;
    const made = [...snapshotted.made, ...attempts.flatMap(({ verified }) => verified?.made ?? [])];
    return made.some((check) => check.result !== 'could-not-run' && isSame(check.argv, argv));
  });
}

/** All rounds of a task in place work in one folder. */
function placeOf(workplace: Workplace): string {
  return workplace.kind === 'worktree' ? workplace.folder : '';
}

function isSame(made: readonly string[] | null, argv: readonly string[]): boolean {
  return made !== null && made.length === argv.length && made.every((word, at) => word === argv[at]);
}
