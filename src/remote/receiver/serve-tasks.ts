import { TASK_ETA_SECONDS_DEFAULT, TASK_UPDATE_MS } from '../../domain/federation/federation-limits.ts';
import { failureClassOf } from '../../domain/order/failure-class.ts';
import { failureCodeOf, isRefusal } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { isSkillDistribution } from '../../federation/capabilities/receive-skill.ts';
import { selectEventsThat, selectLastMove } from '../../ledger/statements/events.ts';
import { selectInbox, selectQueued } from '../../ledger/statements/federation/inbox.ts';
import { selectReceipts } from '../../ledger/statements/federation/outbox.ts';
import { type ReceivedTask, selectOpenReceived } from '../../ledger/statements/federation/received-tasks.ts';
import { type OrderRow, selectOrder } from '../../ledger/statements/orders.ts';
import { selectLastFact } from '../../ledger/statements/run-facts.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import type { TaskCreateEnvelope } from '../../protocols/runtime/schema/events.ts';
import { admitQueued, neededCapabilities, taskToAdmit } from './admit-task.ts';
import { answerTask, beginOffered, dropReceived, refuseReceivedTask, tellProgress } from './answer-task.ts';
import type { ReceivedWork } from './received-work.ts';
import type { ServingNode, TaskServing } from './serving-node.ts';

const TASKS_PER_TURN_MAX = 50;
/** Signs of life among the last events of an agent are no progress. */
const PROGRESS_LOOKED_AT_MAX = 10;

type BegunTask = ReceivedTask & { readonly taskId: TaskName };

/** One turn over the tasks of other nodes: new ones are accepted or refused, the others are looked after and answered. */
export async function serveTasks(federation: ServingNode, serving: TaskServing): Promise<number> {
  const { ledger } = federation.parts;
  const { work } = serving;
  for (const row of selectQueued(ledger.read, 'task_create', TASKS_PER_TURN_MAX)) {
    if (!isSkillDistribution(JSON.parse(row.envelope) as TaskCreateEnvelope))
      await admitQueued(federation, serving, row);
  }
  const open = selectOpenReceived(ledger.read, TASKS_PER_TURN_MAX);
  for (const received of open) {
    if (received.state === 'offered') await confirm(federation, work, received);
    else if (received.taskId !== null) await follow(federation, work, { ...received, taskId: received.taskId });
  }
  return open.length;
}

/** The acknowledgement of a task_accept says whether this node was the first of several. */
async function confirm(federation: ServingNode, work: ReceivedWork, received: ReceivedTask): Promise<void> {
  const { ledger, transport } = federation.parts;
  const [receipt] = received.acceptId === null ? [] : selectReceipts(ledger.read, received.acceptId);
  if (!receipt || (receipt.acceptedAt === null && receipt.failedAt === null)) return;
  const row = selectInbox(ledger.read, received.eventId);
  if (receipt.failedAt !== null || row === null) {
    await ledger.submit(dropReceived, { received });
    return;
  }
  const envelope = JSON.parse(row.envelope) as TaskCreateEnvelope;
  const capabilities = await neededCapabilities(transport, received.capabilities);
  const about = { row, envelope, agent: received.agent };
  const task = isRefusal(capabilities) ? capabilities : taskToAdmit(work, { ...about, capabilities });
  const admitted = isRefusal(task) ? task : await work.admit(task);
  const begun = isRefusal(admitted) ? admitted : await ledger.submit(beginOffered, { received, admitted });
  if (!isRefusal(begun)) return work.wake();
  const failureClass = failureClassOf({ verdict: 'failed', code: failureCodeOf(begun.code) });
  const { agent } = received;
  await ledger.submit(refuseReceivedTask, {
    sender: federation.sender,
    row,
    agent,
    failureClass,
    message: begun.message,
  });
  await ledger.submit(dropReceived, { received });
}

async function follow(federation: ServingNode, work: ReceivedWork, received: BegunTask): Promise<void> {
  const { ledger } = federation.parts;
  const { taskId } = received;
  const order = selectOrder(ledger.read, taskId);
  if (order?.isOpen) {
    const why = whyStopped(federation, received, order);
    if (why !== null) await work.stop(taskId, why);
    // A settled order is about to be answered.
    else if (selectLastFact(ledger.read, order, 'settled') === null) await report(federation, received);
    return;
  }
  const end = await work.endOf(taskId);
  if (end === null) return;
  crashPoint('federation.answer');
  await ledger.submit(answerTask, { sender: federation.sender, received, end });
  crashPoint('federation.answered');
}

type StopWhy = Parameters<ReceivedWork['stop']>[1];

/** Why the order of a task is to stop: its sender or a person said so, its time is over, or another node has the agent. */
function whyStopped({ parts, presence }: ServingNode, received: BegunTask, order: OrderRow): StopWhy | null {
  const { agent, fence, deadlineAt } = received;
  const asked = selectLastFact(parts.ledger.read, order, 'stop-requested');
  if (asked !== null) return { code: asked.why?.code ?? null, message: asked.why?.message ?? `stopped by ${asked.by}` };
  if (fence !== null && presence.isLeaseValid && presence.fenceOf(agent) !== fence) {
    return { code: 'invalid_targets', message: `${agent} is on another node now` };
  }
  const isLate = deadlineAt !== null && deadlineAt <= parts.clock.now().wallMs;
  return isLate ? { code: 'timeout', message: 'its deadline has passed' } : null;
}

const STATUS_OF: Readonly<Record<string, string>> = { 'in-progress': 'in_progress', blocked: 'blocked' };

/** Tells the sender of a new status at once, and of progress now and then. */
async function report(federation: ServingNode, received: BegunTask): Promise<void> {
  const { ledger, clock } = federation.parts;
  const task = selectTask(ledger.read, received.taskId);
  const status = STATUS_OF[task?.status ?? ''];
  if (status === undefined) return;
  const { wallMs } = clock.now();
  const news = lastProgress(federation, received);
  const { percentage, text } = news?.payload ?? {};
  const progress = typeof percentage === 'number' ? percentage : null;
  const isNew = status !== received.toldStatus;
  const isDue = wallMs - received.toldAt >= TASK_UPDATE_MS && (news !== null || received.etaAt <= wallMs);
  if (!isNew && !isDue) return;
  const note =
    status === 'blocked'
      ? selectLastMove(ledger.read, received.taskId).reason
      : typeof text === 'string' && text !== ''
        ? text
        : null;
  const revisedEtaAt = received.etaAt <= wallMs ? wallMs + TASK_ETA_SECONDS_DEFAULT * 1_000 : null;
  const seq = news?.seq ?? received.toldSeq;
  await ledger.submit(tellProgress, { sender: federation.sender, received, status, progress, note, revisedEtaAt, seq });
}

/** Null if there was none since the sender was told. */
function lastProgress({ parts: { ledger } }: ServingNode, { taskId, toldSeq }: BegunTask): LedgerEvent | null {
  const filter = { taskId, runId: null, sessionId: null, types: ['run.progressed'], sinceMs: 0 } as const;
  const found = selectEventsThat(ledger.read, filter, {
    after: toldSeq,
    isNewestFirst: true,
    limit: PROGRESS_LOOKED_AT_MAX,
  });
  return found.find(({ payload }) => !payload.isBeat && (payload.percentage !== null || payload.text !== '')) ?? null;
}
