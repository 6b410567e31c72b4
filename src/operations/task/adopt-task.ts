import { type Refusal, refuse } from '../../domain/refusal.ts';
import { FILESYSTEM, OPERATOR } from '../../domain/task/decide-sender.ts';
import type { Task, TaskName, TaskUid } from '../../domain/task/task.ts';
import type { TaskContent } from '../../domain/task/task-text.ts';
import { insertDependency } from '../../ledger/statements/dependencies.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { nextTaskName, reserveTaskName } from '../../ledger/statements/task-names.ts';
import { countOpen, hasTask, insertTask, selectTaskByUid } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { startRun } from '../run/start-run.ts';
import { refuseBusy } from './move-by-hand.ts';
import { refuseTaskText } from './refuse-task-text.ts';

export interface Adoption {
  readonly content: TaskContent;
  readonly status: Task['status'];
  /** The file that was added to the tree. */
  readonly path: string;
}

/** Creates the task that a person wrote as a file. */
export function adoptTask(tx: Tx, { content, status, path }: Adoption): Task | Refusal {
  const draft: Task = { ...draftTask(tx, content), id: '' as TaskName, status };
  const refusal = refuseAdoption(tx, draft, content);
  if (refusal) return refusal;
  // A task is never in progress without a run; starting the run moves it there.
  const task: Task = { ...draft, id: nameFor(tx, content), status: status === 'in-progress' ? 'ready' : status };
  insertDraft(tx, task);
  const { uid, title, priority } = task;
  const payload = { uid, title, agent: task.routing.agent, priority, status, path };
  insertEvent(tx, { type: 'task.created', actor: FILESYSTEM, taskId: task.id, payload });
  if (status !== 'in-progress') return task;
  const agent = task.routing.agent ?? OPERATOR;
  return startRun(tx, task, { agent, process: null, reason: 'adopted', actor: FILESYSTEM }).task;
}

function refuseAdoption(tx: Tx, draft: Task, { id, text, fixed }: TaskContent): Refusal | null {
  const { parentId } = fixed;
  if (parentId !== undefined && !hasTask(tx, parentId)) {
    return refuse('parent_not_found', `there is no task ${parentId}, which it names as its parent`, '/parentId');
  }
  const refusal = refuseTaskText(tx, text, id);
  if (refusal || draft.status !== 'in-progress') return refusal;
  return refuseBusy(tx, draft);
}

const UID = /^tsk_[0-9A-HJKMNP-TV-Z]{26}$/;

/** The row of a task that is known from its file alone; fields that the file leaves out have a new task's values. */
export function draftTask(tx: Tx, { text, fixed }: TaskContent): Omit<Task, 'id'> {
  const { wallMs } = tx.moment.now;
  const { agent, role, team, tags, ...rest } = text;
  return {
    ...rest,
    uid: uidFor(tx, fixed.uid),
    routing: { agent, role, team, tags },
    parentId: (fixed.parentId ?? null) as TaskName | null,
    createdAt: fixed.createdAt ?? wallMs,
    updatedAt: wallMs,
    lastTransitionAt: wallMs,
    createdBy: FILESYSTEM,
    runId: null,
    fence: 0,
    revision: 1,
    reclaims: 0,
    headHash: null,
    sessionId: null,
    work: null,
  };
}

/** With its dependencies, all of which exist. */
function insertDraft(tx: Tx, task: Task): void {
  insertTask(tx, task, countOpen(tx, task.dependsOn));
  for (const needs of task.dependsOn) insertDependency(tx, task.id, needs);
}

/** The id in the file, reserved so that no new task gets it; otherwise a new id. */
export function nameFor(tx: Tx, { id }: TaskContent): TaskName {
  if (id === null) return nextTaskName(tx, tx.moment.now.wallMs);
  reserveTaskName(tx, id as TaskName);
  return id as TaskName;
}

/** The uid in the file if it is valid and free; otherwise a new one. */
function uidFor(tx: Tx, given: string | undefined): TaskUid {
  const isFree = given !== undefined && UID.test(given) && selectTaskByUid(tx, given) === null;
  return (isFree ? given : `tsk_${tx.moment.ids.ulid()}`) as TaskUid;
}
