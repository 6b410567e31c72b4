import { assertNever } from '../assert-never.ts';
import type { CheckOutcome } from './judge-expectation.ts';

export interface CheckedOnce {
  readonly id: string;
  readonly result: CheckOutcome;
}

export type CheckChange = 'new failure' | 'fixed' | 'same as before' | 'passed' | 'still failing';

export interface ComparedCheck {
  readonly id: string;
  /** Null for a check that did not run before the work. */
  readonly before: CheckOutcome | null;
  readonly after: CheckOutcome;
  readonly change: CheckChange;
}

/** The effect of a run on its checks, in the order in which they ran after it; the order distinguishes equal ids. */
export function compareChecks(before: readonly CheckedOnce[], after: readonly CheckedOnce[]): readonly ComparedCheck[] {
  const earlier = [...before];
  return after.map(({ id, result }) => {
    const at = earlier.findIndex((check) => check.id === id);
    const was = at === -1 ? null : (earlier.splice(at, 1)[0]?.result ?? null);
    return { id, before: was, after: result, change: changeOf(was, result) };
  });
}

/** A check that does not pass now is a new failure if it passed before or its earlier result is unknown. */
function changeOf(before: CheckOutcome | null, after: CheckOutcome): CheckChange {
  switch (after) {
    case 'passed':
      return before === 'passed' || before === null ? 'passed' : 'fixed';
    case 'failed':
      return before === 'passed' || before === null ? 'new failure' : 'still failing';
    case 'could-not-run':
      if (before === 'could-not-run') return 'same as before';
      return before === 'failed' ? 'still failing' : 'new failure';
    default:
      return assertNever(after);
  }
}
