import type { Round } from '../domain/order/round.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { SessionTerms } from '../domain/session/session-terms.ts';
import type { Task, TaskName } from '../domain/task/task.ts';
import { isTerminal, isWaiting, wayTo } from '../domain/task/task-lifecycle.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { SessionTasks, selectSession } from '../ledger/statements/sessions.ts';
import { nextTaskName } from '../ledger/statements/task-names.ts';
import { selectTask, updateTaskDue } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { beginRound } from '../operations/order/order-rounds.ts';
import { writeSessionFact } from '../operations/order/session-facts.ts';
import { draftOf, storeTask } from '../operations/task/create-task.ts';
import { type Replacements, withReplaced } from '../operations/task/depend-task.ts';
import { readDependency } from '../operations/task/read-dependency.ts';
import { transitions } from '../operations/task/transition.ts';

/** A task of the session that was not done, and its next round. */
export interface ReopenedMember {
  readonly member: string;
  readonly taskId: TaskName;
  readonly round: Round;
}

export interface ReopenedSession {
  readonly sessionId: string;
  readonly terms: SessionTerms;
  readonly by: string;
  /** The awake time of the data folder now. */
  readonly awakeMs: number;
  readonly members: readonly ReopenedMember[];
}

/** Continues the tasks of a session that were not done, all in one commit. One in a final status is replaced by a new task. */
export const reopenSession: Command<ReopenedSession, { readonly tasks: readonly TaskName[] }> = (tx, reopened) => {
  const { sessionId, terms, by, awakeMs, members } = reopened;
  const refusal = refuseReopening(tx, reopened);
  if (refusal) return refusal;
  const replaced = replacedTasks(
    tx,
    members.map(({ taskId }) => taskId),
  );
  const places = new SessionTasks(tx, sessionId);
  const tasks = members.map(({ member, taskId, round }) => {
    const task = selectTask(tx, taskId) as Task;
    const next = replaced.has(taskId) ? replaceTask(tx, task, replaced) : reopenTask(tx, task, { by, replaced });
    if (next.id !== taskId) places.put(member, next.id);
    beginRound(tx, next, round);
    return next.id;
  });
  writeSessionFact(tx, sessionId, { kind: 'reopened', tasks, terms, awakeMs, by });
  return { tasks };
};

function refuseReopening(tx: Tx, { sessionId, members }: ReopenedSession): Refusal | null {
  if (selectSession(tx, sessionId)?.isOpen !== false) {
    return refuse('already_claimed', `session ${sessionId} is open`);
  }
  const gone = members.find(({ taskId }) => selectTask(tx, taskId) === null);
  if (gone) return refuse('task_not_found', `there is no task ${gone.taskId}`);
  const busy = members.find(({ taskId }) => selectOrder(tx, taskId)?.isOpen);
  return busy ? refuseUnderWay(busy.taskId) : null;
}

/** A task that was continued by itself meanwhile has its next round already. */
export function refuseUnderWay(taskId: TaskName): Refusal {
  const hint = `baton stop ${taskId} ends it, or try again when it is over`;
  return { ...refuse('already_claimed', `${taskId} is already running`), hint };
}

/** New names for the tasks in a final status. */
function replacedTasks(tx: Tx, ids: readonly TaskName[]): Replacements {
  const final = ids.filter((id) => isTerminal(selectTask(tx, id)?.status ?? 'cancelled'));
  return new Map(final.map((id) => [id, nextTaskName(tx, tx.moment.now.wallMs)]));
}

/** A new task in the place of one that is cancelled: it waits for the same, as far as that is not done. */
function replaceTask(tx: Tx, task: Task, replaced: Replacements): Task {
  const isOpen = (id: TaskName) => readDependency(tx, id, true) !== 'met';
  const dependsOn = task.dependsOn.filter(isOpen).map((id) => replaced.get(id) ?? id);
  const { agent, role, team, tags } = task.routing;
  const asked = { ...task, agent, role, team, tags, dependsOn, sessionId: task.sessionId ?? '' };
  const draft = draftOf(tx, asked, replaced.get(task.id) as TaskName);
  storeTask(tx, draft, dependsOn.length);
  return draft;
}

interface Reopening {
  readonly by: string;
  readonly replaced: Replacements;
}

/** Makes a task ready again that was not done; it waits for the new tasks in the place of those that are replaced. */
function reopenTask(tx: Tx, task: Task, { by, replaced }: Reopening): Task {
  const waits = withReplaced(tx, task, replaced);
  if (isWaiting(waits.status)) return waits;
  const moved = transitions(tx, waits, {
    through: wayTo(waits.status, 'ready') ?? [],
    actor: by,
    reason: 'its session continues',
    cause: { kind: 'retried' },
    with: { runId: null, reclaims: 0 },
  });
  updateTaskDue(tx, moved.task, null);
  return moved.task;
}
