import type { Round } from '../domain/order/round.ts';
import { type Refusal, refuseField } from '../domain/refusal.ts';
import type { SessionTerms } from '../domain/session/session-terms.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectOrderedTask } from '../ledger/statements/orders.ts';
import { SessionTasks } from '../ledger/statements/sessions.ts';
import { nextTaskName } from '../ledger/statements/task-names.ts';
import type { Reader, Tx } from '../ledger/tx.ts';
import { refuseRepeated, storeOrder } from '../operations/order/order-rounds.ts';
import { addMember, openSessionOf, refuseStopping, writeSessionFact } from '../operations/order/session-facts.ts';
import { type NewTask, refuseNewText } from '../operations/task/create-task.ts';
import { readDependency } from '../operations/task/read-dependency.ts';

/** An order of a session file. */
export interface SessionOrder extends Round {
  /** Without its parent and the tasks it waits for. */
  readonly task: Omit<NewTask, 'parentId' | 'dependsOn'>;
  /** The sender's names. */
  readonly parent: string | null;
  readonly after: readonly string[];
}

export interface NewSession {
  readonly sessionId: string;
  readonly terms: SessionTerms;
  readonly by: string;
  /** The awake time of the data folder now. */
  readonly awakeMs: number;
  /** In the order of the file. */
  readonly orders: readonly SessionOrder[];
}

export interface SubmittedSession {
  readonly sessionId: string;
  readonly tasks: readonly TaskName[];
}

/**
 * Stores a session whole, in one commit: every task in backlog, with its order and what it waits for, or nothing of it. The
 * dispatcher promotes a task when it waits for nothing. An open session gets the tasks in addition to its own.
 */
export const submitSession: Command<NewSession, SubmittedSession> = (tx, session) => {
  const refusal = refuseSession(tx, session);
  if (refusal) return refusal;
  const { sessionId, terms, by, awakeMs, orders } = session;
  const isJoining = openSessionOf(tx, sessionId) !== null;
  const { wallMs } = tx.moment.now;
  const names = new Map(orders.map(({ order }) => [order.taskId, nextTaskName(tx, wallMs)] as const));
  const members = new SessionTasks(tx, sessionId);
  for (const asked of orders) {
    const { task: text, parent, after, ...order } = asked;
    const member = order.order.taskId;
    const task = names.get(member) as TaskName;
    storeOrder(tx, { ...order, task: { ...text, ...relationsOf(tx, asked, names) } }, task);
    if (isJoining) addMember(tx, sessionId, { member, task, by });
    else members.put(member, task);
  }
  const tasks = [...names.values()];
  if (!isJoining) {
    writeSessionFact(tx, sessionId, { kind: 'submitted', terms, tasks: tasks.length, awakeMs, by });
  }
  return { sessionId, tasks };
};

type Names = ReadonlyMap<string, TaskName>;

/** The parent of a task and the tasks that it waits for, by Baton's names. */
function relationsOf(tx: Tx, { parent, after, order: { sessionId } }: SessionOrder, names: Names) {
  return {
    parentId: parent === null ? null : (names.get(parent) ?? selectOrderedTask(tx, sessionId, parent)),
    dependsOn: after.flatMap((id) => names.get(id) ?? stillAwaited(tx, selectOrderedTask(tx, sessionId, id)) ?? []),
  };
}

/** A task of an earlier submission that is not completed yet; null for any other. */
function stillAwaited(tx: Reader, id: TaskName | null): TaskName | null {
  return id === null || readDependency(tx, id, true) === 'met' ? null : id;
}

function refuseSession(tx: Reader, { sessionId, orders }: NewSession): Refusal | null {
  const stopping = refuseStopping(tx, sessionId);
  if (stopping) return stopping;
  const own = new Set(orders.map(({ order }) => order.taskId));
  for (const [member, { order, task, after }] of orders.entries()) {
    const refusal =
      refuseNewText({ ...task, parentId: null, dependsOn: [] }) ??
      refuseRepeated(tx, order) ??
      refuseFailed(tx, sessionId, { after, own });
    if (refusal) return { ...refusal, member };
  }
  return null;
}

interface Waits {
  readonly after: readonly string[];
  /** The tasks of the same file, which are about to be stored. */
  readonly own: ReadonlySet<string>;
}

function refuseFailed(tx: Reader, sessionId: string, { after, own }: Waits): Refusal | null {
  for (const [index, id] of after.entries()) {
    const needed = own.has(id) ? null : selectOrderedTask(tx, sessionId, id);
    if (needed === null || readDependency(tx, needed, true) !== 'failed') continue;
    const message = `${id}, which it depends on, failed as ${needed}`;
    return refuseField('dependency-failed', message, { kind: 'dependency', index });
  }
  return null;
}
