import { EVENTS_PER_PAGE_MAX, TASKS_PER_PAGE_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { selectEventsThat, selectLastReason } from '../../ledger/statements/events.ts';
import { selectRunsOfTask } from '../../ledger/statements/runs.ts';
import { selectTaskPage } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findTask } from '../../operations/find-task.ts';
import type { EventsRequest, EventView, TaskDetail, TaskListRequest, TaskPage } from '../contract.ts';
import { readEventsFilter } from '../read-events-filter.ts';
import { viewEvent, viewRun, viewTask } from '../views.ts';

/** Everything that only looks. */
export class LookCalls {
  readonly #read: Reader;

  constructor(read: Reader) {
    this.#read = read;
  }

  list(request: TaskListRequest): TaskPage | Refusal {
    const read = this.#read;
    const parent = request.parent === undefined ? null : findTask(read, request.parent);
    if (isRefusal(parent)) return parent;
    const limit = Math.min(request.limit ?? TASKS_PER_PAGE_MAX, TASKS_PER_PAGE_MAX);
    const filter = {
      status: request.status ?? null,
      agent: request.agent ?? null,
      parentId: parent?.id ?? null,
      openOnly: !request.all && request.status === undefined,
    };
    const rows = selectTaskPage(read, filter, { after: request.after ?? 0, limit });
    const next = rows.length === limit ? (rows.at(-1)?.number ?? null) : null;
    return { tasks: rows.map(({ task }) => viewTask(task)), next };
  }

  show(reference: string): TaskDetail | Refusal {
    const read = this.#read;
    const task = findTask(read, reference);
    if (isRefusal(task)) return task;
    return {
      ...viewTask(task),
      reason: selectLastReason(read, task.id),
      file: `tasks/${task.status}/${task.id}.md`,
      runs: selectRunsOfTask(read, task.id).map(viewRun),
    };
  }

  events(request: EventsRequest): readonly EventView[] | Refusal {
    const { after, limit = EVENTS_PER_PAGE_MAX } = request;
    const filter = readEventsFilter(this.#read, request);
    if (isRefusal(filter)) return filter;
    const page = { after, limit: Math.min(limit, EVENTS_PER_PAGE_MAX) };
    return selectEventsThat(this.#read, filter, page).map(viewEvent);
  }
}
