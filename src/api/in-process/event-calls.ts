import { EVENTS_PER_PAGE_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { TRACE_ENTRIES_PER_PAGE_MAX } from '../../domain/trace-limits.ts';
import { selectEventsThat } from '../../ledger/statements/events.ts';
import { selectRun } from '../../ledger/statements/runs.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findTask } from '../../operations/find-task.ts';
import { readTrace } from '../../trace/read-trace.ts';
import type { Calls, RequestOf } from '../node-client.ts';
import { readEventsFilter } from '../read-events-filter.ts';
import type { TracePage } from '../trace-contract.ts';
import { viewTraceStep } from '../trace-views.ts';
import { viewEvent } from '../views.ts';

/** The calls that read the log and the traces of tasks. */
export function eventCalls(read: Reader): Pick<Calls, 'listEvents' | 'readTrace'> {
  return {
    listEvents: async ({ after = 0, before, order, ...request } = {}) => {
      const filter = readEventsFilter(read, request);
      if (isRefusal(filter)) return filter;
      const limit = pageLimit(request.limit, EVENTS_PER_PAGE_MAX);
      const page = { after, before, isNewestFirst: order === 'newest', limit };
      return { events: selectEventsThat(read, filter, page).map(viewEvent) };
    },
    readTrace: async (request) => tracePage(read, request),
  };
}

export function pageLimit(asked: number | undefined, max: number): number {
  return Math.min(Math.max(1, asked ?? max), max);
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
  const limit = pageLimit(request.limit, TRACE_ENTRIES_PER_PAGE_MAX);
  const part = { from, isNewestFirst: order === 'newest', limit };
  const { steps, next } = readTrace(read, { taskId: task.id, runId, kinds }, part);
  const entries = steps.map((step) => viewTraceStep(step, whole));
  return { task: task.id, entries, next: next === null ? null : String(next) };
}
