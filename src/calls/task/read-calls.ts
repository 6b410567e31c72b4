import type { Calls } from '../../api/node-client.ts';
import { readEventsFilter } from '../../api/read-events-filter.ts';
import { viewEvent, viewRunNow, viewTask } from '../../api/task/views.ts';
import { RUNS_PER_PAGE_MAX } from '../../domain/http-limits.ts';
import { EVENTS_PER_PAGE_MAX, TASKS_PER_PAGE_MAX } from '../../domain/limits.ts';
import { isRefusal, refuse } from '../../domain/refusal.ts';
import { selectEventsThat, selectLastReason } from '../../ledger/statements/events.ts';
import { selectRun, selectRunPage, selectRunsOfTask } from '../../ledger/statements/runs.ts';
import { selectTaskPage } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findTask } from '../../operations/task/find-task.ts';
import { storyCalls } from '../story/story-calls.ts';
import { viewActions, viewVerdictOn } from './action-views.ts';
import { attentionCall } from './attention-calls.ts';
import { type ReadParts, statusOf } from './status-call.ts';
import { viewWait } from './wait-views.ts';

/** The calls that only read tasks, runs and events. */
export function readCalls(parts: ReadParts) {
  const { read } = parts;
  return {
    status: async () => statusOf(parts),
    listAttention: attentionCall(read, parts),
    listTasks: async (request = {}) => {
      const parent = request.parent === undefined ? null : findTask(read, request.parent);
      if (isRefusal(parent)) return parent;
      const limit = pageLimit(request.limit, TASKS_PER_PAGE_MAX);
      const filter = {
        status: request.status ?? null,
        agent: request.agent ?? null,
        isUnassigned: request.unassigned ?? false,
        parentId: parent?.id ?? null,
        openOnly: !request.all && request.status === undefined,
        words: request.text ?? '',
      };
      const place = { after: request.after ?? null, isNewestFirst: request.order === 'newest', limit };
      const rows = selectTaskPage(read, filter, place);
      const next = rows.length === limit ? (rows.at(-1)?.number ?? null) : null;
      return { tasks: rows.map(({ task }) => ({ ...viewTask(task), ...viewVerdictOn(read, task) })), next };
    },
    showTask: async (request) => {
      const task = findTask(read, request.task);
      if (isRefusal(task)) return task;
      return {
        ...viewTask(task),
        ...selectLastReason(read, task.id),
        ...viewWait(task, parts),
        actions: viewActions(read, task, parts),
        file: `tasks/${task.status}/${task.id}.md`,
        runs: selectRunsOfTask(read, task.id).map((run) => viewRunNow(run, parts)),
      };
    },
    listRuns: async ({ live = false, after = '', ...request } = {}) => {
      const task = request.task === undefined ? null : findTask(read, request.task);
      if (isRefusal(task)) return task;
      if (after !== '' && selectRun(read, after) === null) {
        return refuse('invalid_argument', `there is no run ${JSON.stringify(after)}`, '/after');
      }
      const limit = pageLimit(request.limit, RUNS_PER_PAGE_MAX);
      const runs = selectRunPage(read, { taskId: task?.id ?? null, liveOnly: live }, { after, limit });
      const next = runs.length === limit ? (runs.at(-1)?.id ?? null) : null;
      return { runs: runs.map((run) => ({ ...viewRunNow(run, parts), taskId: run.taskId })), next };
    },
    ...eventCalls(read),
    ...storyCalls(read),
  } satisfies Partial<Calls>;
}

function eventCalls(read: Reader): Pick<Calls, 'listEvents'> {
  return {
    listEvents: async ({ after = 0, before, order, ...request } = {}) => {
      const filter = readEventsFilter(read, request);
      if (isRefusal(filter)) return filter;
      const limit = pageLimit(request.limit, EVENTS_PER_PAGE_MAX);
      const page = { after, before, isNewestFirst: order === 'newest', limit };
      return { events: selectEventsThat(read, filter, page).map(viewEvent) };
    },
  };
}

function pageLimit(asked: number | undefined, max: number): number {
  return Math.min(Math.max(1, asked ?? max), max);
}
