import { FILESYSTEM, OPERATOR } from '../domain/decisions/decide-sender.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import type { TaskContent } from '../domain/task-text.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { hasTask } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { draftTask, insertDraft, nameFor } from './draft-task.ts';
import { refuseBusy } from './move-by-hand.ts';
import { refuseTaskText } from './refuse-task-text.ts';
import { startRun } from './start-run.ts';

export interface Adoption {
  readonly content: TaskContent;
  readonly status: Task['status'];
  /** The file that somebody put into the tree. */
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
