import { type Refusal, refuse, refusePart } from '../../domain/refusal.ts';
import type { AgentMessage } from '../../domain/task/agent-message.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import {
  decideReach,
  type Reach,
  type ReachRefusal,
  refuseAboutRun,
  refuseAboutTask,
} from '../../domain/task/decide-reach.ts';
import { selectHandoff } from '../../ledger/statements/handoffs.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectFacts } from '../../ledger/statements/run-facts.ts';
import { selectRun } from '../../ledger/statements/runs.ts';
import { selectTask, selectTaskByUid } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';

/** The task and agent of a run, live or ended; null where there is no such run. */
export function readHolder(tx: Reader, runId: string): RunHolder | null {
  const run = selectRun(tx, runId);
  const task = run && selectTask(tx, run.taskId);
  return run && task && { taskId: task.id, taskUid: task.uid, runId, agent: run.agent };
}

/** How the task of this name or uid relates to a run. */
function readReach(tx: Reader, holder: RunHolder, reference: string): Reach {
  const task = selectTask(tx, reference) ?? selectTaskByUid(tx, reference);
  if (!task) return decideReach(holder, null);
  const { id, parentId } = task;
  return decideReach(holder, { id, parentId, handedDownBy: selectHandoff(tx, id)?.parentId ?? null });
}

/** The relation of a message's task to the run that sends it, and the reason why the run may not send it. */
export function judgeReach(
  tx: Reader,
  holder: RunHolder,
  message: AgentMessage,
): { readonly reach: Reach; readonly refusal: ReachRefusal | null } {
  const reach = readReach(tx, holder, message.taskId);
  return { reach, refusal: refuseAboutTask(message, holder, reach) };
}

interface NamedSender {
  /** The name or uid of a task. */
  readonly task: string;
  /** The agent that the message names; null where it names none. */
  readonly agent: string | null;
}

/** Refuses a message about a run, such as a turn or a beat, that is not about this run. */
export function refuseOtherRun(tx: Reader, holder: RunHolder, { task, agent }: NamedSender): Refusal | null {
  const code = refuseAboutRun(readReach(tx, holder, task));
  if (code === 'task_not_found') return refuse(code, `there is no task ${task}`);
  if (code !== null) return refusePart(code, `${task} is not the task of this run`, 'task');
  if (agent === null || isNameOf(tx, holder, agent)) return null;
  return refusePart('unauthorized_agent', `this run is of ${holder.agent}, not of ${agent}`, 'agent');
}

/** A run speaks in the name of its agent, or in the name that the target of its TASK has. */
function isNameOf(tx: Reader, { agent, taskId }: RunHolder, name: string): boolean {
  if (name === agent) return true;
  const row = selectOrder(tx, taskId);
  const [ordered] = row ? selectFacts(tx, row) : [];
  return ordered?.kind === 'ordered' && ordered.order.target.agentName === name;
}
