import { RUNS_PER_PAGE_MAX } from '../../domain/http-limits.ts';
import { EVENTS_PER_PAGE_MAX, TASKS_PER_PAGE_MAX } from '../../domain/limits.ts';
import { isRefusal, refuse } from '../../domain/refusal.ts';
import { selectEventsThat, selectLastReason } from '../../ledger/statements/events.ts';
import { selectRun, selectRunPage, selectRunsOfTask } from '../../ledger/statements/runs.ts';
import { selectTaskPage } from '../../ledger/statements/tasks.ts';
import { findTask } from '../../operations/find-task.ts';
import type { Calls } from '../node-client.ts';
import { readEventsFilter } from '../read-events-filter.ts';
import { viewEvent, viewRunNow, viewTask } from '../views.ts';
import { type ReadParts, SHOWN_IN_STATUS_MAX, statusOf, waitOf } from './answer-status.ts';
import { attentionCall, questionsInStatus } from './attention-calls.ts';

type StatusAnswer = ReturnType<typeof statusOf> & { readonly questions: ReturnType<typeof questionsInStatus> };
type ReadCalls = Pick<Calls, 'listTasks' | 'showTask' | 'listRuns' | 'listEvents' | 'listAttention'> & {
  status(): Promise<StatusAnswer>;
};

/** The calls that only read the ledger. */
export function readCalls(parts: ReadParts): ReadCalls {
  const { read } = parts;
  return {
    status: async () => ({ ...statusOf(parts), questions: questionsInStatus(read, SHOWN_IN_STATUS_MAX) }),
    listAttention: attentionCall(read, parts),
    listTasks: async (request = {}) => {
      const parent = request.parent === undefined ? null : findTask(read, request.parent);
      if (isRefusal(parent)) return parent;
      const limit = pageLimit(request.limit, TASKS_PER_PAGE_MAX);
      const filter = {
        status: request.status ?? null,
        agent: request.agent ?? null,
        parentId: parent?.id ?? null,
        openOnly: !request.all && request.status === undefined,
      };
      const rows = selectTaskPage(read, filter, { after: request.after ?? 0, limit });
      const next = rows.length === limit ? (rows.at(-1)?.number ?? null) : null;
      return { tasks: rows.map(({ task }) => viewTask(task)), next };
    },
    showTask: async (request) => {
      const task = findTask(read, request.task);
      if (isRefusal(task)) return task;
      return {
        ...viewTask(task),
        ...selectLastReason(read, task.id),
        ...waitOf(task, parts),
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
    listEvents: async ({ after = 0, ...request } = {}) => {
      const filter = readEventsFilter(read, request);
      if (isRefusal(filter)) return filter;
      const page = { after, limit: pageLimit(request.limit, EVENTS_PER_PAGE_MAX) };
      return { events: selectEventsThat(read, filter, page).map(viewEvent) };
    },
  };
}

function pageLimit(asked: number | undefined, max: number): number {
  return Math.min(Math.max(1, asked ?? max), max);
}
