import type { WorkState } from '../work-state.ts';
import type { Execution } from './execution.ts';
import { changesLeft } from './recorded-changes.ts';

/** The state of work whose order was just reported. Work in the user's own files waits for nobody. */
export function workAfterReport(execution: Execution): WorkState | null {
  const isApart = execution.snapshotted?.workplace.kind === 'worktree';
  return isApart && changesLeft(execution).length > 0 ? 'waiting' : null;
}
