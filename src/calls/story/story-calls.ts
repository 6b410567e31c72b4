import type { Calls, RequestOf } from '../../api/node-client.ts';
import type { TracePage } from '../../api/trace/trace-contract.ts';
import { viewTraceStep } from '../../api/trace/trace-views.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { TRACE_ENTRIES_PER_PAGE_MAX } from '../../domain/trace/trace-limits.ts';
import { selectRun } from '../../ledger/statements/runs.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findTask } from '../../operations/task/find-task.ts';
import { readTrace } from '../../trace/read-trace.ts';
import { storyPage } from './read-story.ts';

/** The calls that read the turns of a task: as its agents sent them, and as its story. */
export function storyCalls(read: Reader): Pick<Calls, 'readTrace' | 'readStory'> {
  return {
    readTrace: async (request) => tracePage(read, request),
    readStory: async (request) => storyPage(read, request),
  };
}

function tracePage(read: Reader, request: RequestOf<'readTrace'>): TracePage | Refusal {
  const task = findTask(read, request.task);
  if (isRefusal(task)) return task;
  const { run: runId = null, type, after, order = 'oldest', whole = false } = request;
  if (runId !== null && selectRun(read, runId)?.taskId !== task.id) {
    return refuse('invalid_argument', `${JSON.stringify(runId)} is not a run of ${task.id}`, '/run');
  }
  const from = after === undefined ? null : Number(after);
  if (from !== null && (after?.trim() === '' || !Number.isFinite(from))) {
    return refuse('invalid_argument', `${JSON.stringify(after)} is not a cursor of a trace`, '/after');
  }
  const kinds = type === undefined ? null : type.split(',');
  const limit = Math.min(Math.max(1, request.limit ?? TRACE_ENTRIES_PER_PAGE_MAX), TRACE_ENTRIES_PER_PAGE_MAX);
  const part = { from, isNewestFirst: order === 'newest', limit };
  const { steps, next } = readTrace(read, { taskId: task.id, runId, kinds }, part);
  const entries = steps.map((step) => viewTraceStep(step, whole));
  return { task: task.id, entries, next: next === null ? null : String(next) };
}
