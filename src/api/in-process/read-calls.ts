import { EVENTS_PER_PAGE_MAX, RUNS_PER_PAGE_MAX, TASKS_PER_PAGE_MAX } from '../../domain/limits.ts';
import { isRefusal, refuse } from '../../domain/refusal.ts';
import type { TaskStatus } from '../../domain/task-lifecycle.ts';
import { selectEventsThat, selectLastReason } from '../../ledger/statements/events.ts';
import { selectOpenIncidents } from '../../ledger/statements/incidents.ts';
import { selectRun, selectRunPage, selectRunsOfTask } from '../../ledger/statements/runs.ts';
import { countByStatus, selectByUrgency, selectTaskPage } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findTask } from '../../operations/find-task.ts';
import type { Calls } from '../node-client.ts';
import { readEventsFilter } from '../read-events-filter.ts';
import { viewEvent, viewRun, viewTask, viewTaskLine } from '../views.ts';

type StatusAnswer = ReturnType<typeof statusOf>;
type ReadCalls = Pick<Calls, 'listTasks' | 'showTask' | 'listRuns' | 'listEvents'> & {
  status(): Promise<StatusAnswer>;
};

/** The calls that only read the ledger. */
export function readCalls(read: Reader, dataFolder: string): ReadCalls {
  return {
    status: async () => statusOf(read, dataFolder),
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
        file: `tasks/${task.status}/${task.id}.md`,
        runs: selectRunsOfTask(read, task.id).map(viewRun),
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
      return { runs: runs.map((run) => ({ ...viewRun(run), taskId: run.taskId })), next };
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

const SHOWN_IN_STATUS_MAX = 50;

/** Its cost grows with the open tasks, not with the finished ones. */
function statusOf(read: Reader, data: string) {
  return {
    data,
    counts: countByStatus(read),
    running: urgent(read, 'in-progress').map((task) => ({ ...viewTaskLine(task), run: runOf(read, task.runId) })),
    waiting: urgent(read, 'ready', 'backlog').map(viewTaskLine),
    needsYou: urgent(read, 'review', 'blocked', 'deadletter').map((task) => ({
      ...viewTaskLine(task),
      ...selectLastReason(read, task.id),
    })),
    incidents: selectOpenIncidents(read, SHOWN_IN_STATUS_MAX).map(({ openedAt, ...incident }) => ({
      ...incident,
      openedAt: new Date(openedAt).toISOString(),
    })),
  };
}

function urgent(read: Reader, ...statuses: readonly TaskStatus[]) {
  return statuses.flatMap((status) => selectByUrgency(read, status, SHOWN_IN_STATUS_MAX)).slice(0, SHOWN_IN_STATUS_MAX);
}

function runOf(read: Reader, runId: string | null) {
  const run = runId === null ? null : selectRun(read, runId);
  return run && viewRun(run);
}
