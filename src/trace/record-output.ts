import { refuse } from '../domain/refusal.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import type { PrintedLine } from '../domain/trace/trace.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { MarkedRun } from '../ledger/statements/trace-marks.ts';
import { writeMade } from '../operations/run/write-trace.ts';

interface RunOutput extends MarkedRun {
  /** At least one, masked. */
  readonly lines: readonly PrintedLine[];
}

/** Adds lines of output to the trace of a run, as one record with one event of the log. */
export const recordOutput: Command<RunOutput, { readonly events: readonly LedgerEvent[] }> = (
  tx,
  { taskId, runId, lines },
) => {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  const [line] = lines;
  if (line === undefined) return { events: [] };
  return { events: [writeMade(tx, task, { taskId, runId, lines, made: { kind: 'output', line } })] };
};
