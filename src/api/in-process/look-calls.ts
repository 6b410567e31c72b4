import { EVENTS_PER_PAGE_MAX, TASKS_PER_PAGE_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { selectOpenIncidents } from '../../ledger/statements/incidents.ts';
import { selectEvents, selectEventsOfTask } from '../../ledger/statements/select-events.ts';
import { selectRunsOfTask } from '../../ledger/statements/select-run.ts';
import { countByStatus, selectByUrgency, selectTaskPage } from '../../ledger/statements/select-tasks.ts';
import { findTask } from '../../operations/find-task.ts';
import type { EventsRequest, EventView, StatusAnswer, TaskDetail, TaskListRequest, TaskPage } from '../contract.ts';
import { viewEvent, viewRun, viewTask } from '../views.ts';

const SHOWN_IN_STATUS_MAX = 50;

/** Everything that only looks. */
export class LookCalls {
  readonly #ledger: Ledger;
  readonly #dataFolder: string;

  constructor(ledger: Ledger, dataFolder: string) {
    this.#ledger = ledger;
    this.#dataFolder = dataFolder;
  }

  list(request: TaskListRequest): TaskPage | Refusal {
    const { read } = this.#ledger;
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
    const task = findTask(this.#ledger.read, reference);
    if (isRefusal(task)) return task;
    const runs = selectRunsOfTask(this.#ledger.read, task.id);
    return { task: viewTask(task), runs: runs.map(viewRun), file: `tasks/${task.status}/${task.id}.md` };
  }

  events(request: EventsRequest): readonly EventView[] | Refusal {
    const { read } = this.#ledger;
    if (request.task === undefined)
      return selectEvents(read, request.after, request.limit ?? EVENTS_PER_PAGE_MAX).map(viewEvent);
    const task = findTask(read, request.task);
    return isRefusal(task) ? task : selectEventsOfTask(read, task.id, request.after).map(viewEvent);
  }

  status(): StatusAnswer {
    const { read } = this.#ledger;
    const review = selectByUrgency(read, 'review', SHOWN_IN_STATUS_MAX);
    const blocked = selectByUrgency(read, 'blocked', SHOWN_IN_STATUS_MAX);
    return {
      data: this.#dataFolder,
      counts: countByStatus(read),
      running: selectByUrgency(read, 'in-progress', SHOWN_IN_STATUS_MAX).map(viewTask),
      needsYou: [...review, ...blocked].map(viewTask),
      incidents: selectOpenIncidents(read, SHOWN_IN_STATUS_MAX).map(({ openedAt, ...incident }) => ({
        ...incident,
        openedAt: new Date(openedAt).toISOString(),
      })),
    };
  }
}
