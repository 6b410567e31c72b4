import { type ModelUsage, sumByModel } from '../agent/model-spend.ts';
import { roundUsd } from '../order/budget.ts';
import { isAccepted } from '../order/work-verdict.ts';
import type { OrderEnd } from '../session/session-report.ts';
import type { TaskName } from '../task/task.ts';
import type { WorkState } from '../work/work-state.ts';

/** The end of one order within the time of a report. */
export interface DayEnd extends OrderEnd {
  readonly task: TaskName;
  readonly round: number;
  readonly title: string;
  readonly sessionId: string | null;
  readonly work: WorkState | null;
}

/** Ended orders, each task once with its last one, by what came of it. */
export interface DayReport {
  /** Every check passed. */
  readonly done: readonly DayEnd[];
  /** Partly done, or nothing was there to check it by. */
  readonly unproven: readonly DayEnd[];
  /** Failed, aborted or skipped. */
  readonly notDone: readonly DayEnd[];
  /** The cost of every order that ended, repeated ones too, and of the ended runs of those that run or wait. */
  readonly costUsd: number;
  readonly models: readonly ModelUsage[];
}

/** `ends` in the order of their end; `open` is the spend of the ended runs of orders that are not over. */
export function makeDayReport(ends: readonly DayEnd[], open: readonly ModelUsage[] = []): DayReport {
  const last = new Map<TaskName, DayEnd>();
  for (const end of ends) {
    last.delete(end.task);
    last.set(end.task, end);
  }
  const latest = [...last.values()];
  const models = sumByModel([...ends.flatMap(({ spend }) => spend), ...open]);
  return {
    done: latest.filter(({ verdict }) => verdict === 'checked'),
    unproven: latest.filter(({ verdict }) => verdict === 'unchecked' || verdict === 'partial'),
    notDone: latest.filter(({ verdict }) => !isAccepted(verdict)),
    costUsd: roundUsd(models.reduce((sum, { costUsd }) => sum + costUsd, 0)),
    models,
  };
}
