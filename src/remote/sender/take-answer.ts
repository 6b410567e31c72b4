import { nextStep } from '../../domain/execution/next-step.ts';
import { ANSWER_TEXT_CHARACTERS_MAX } from '../../domain/federation/federation-limits.ts';
import type { SentFact } from '../../domain/remote/sent-fact.ts';
import { receiverName } from '../../domain/remote/sent-terms.ts';
import { canMove, type TaskStatus } from '../../domain/task/task-lifecycle.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { shorten } from '../../domain/words/shorten.ts';
import { noteArrived } from '../../federation/acknowledge.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { type SentTask, selectSentTask, upsertSentTask } from '../../ledger/statements/federation/sent-tasks.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import type { Tx } from '../../ledger/tx.ts';
import { type OrderedTask, writeFact } from '../../operations/order/open-order.ts';
import { settle } from '../../operations/order/settle-order.ts';
import { startRun } from '../../operations/run/start-run.ts';
import { transitions } from '../../operations/task/transition.ts';
import type { TaskFailedEnvelope } from '../../protocols/runtime/schema/events.ts';
import { stopSending } from './append-task-create.ts';

type FactOf<Kind extends SentFact['kind']> = Extract<SentFact, { readonly kind: Kind }>;
export type Acceptance = Omit<FactOf<'taken'>, 'kind' | 'runId' | 'at'>;

/** Another node has accepted the task: its run is the lease of the task here. */
export function takeAcceptance(tx: Tx, found: OrderedTask, acceptance: Acceptance): OrderedTask {
  const { node, agent, etaAt, theirTask } = acceptance;
  const name = receiverName(acceptance);
  const { task, run } = startRun(tx, found.task, { agent: name, process: null, reason: 'accepted', actor: name });
  const at = tx.moment.now.wallMs;
  const taken = { ...found, task };
  stopSending(tx, task.id);
  writeFact(tx, taken, { kind: 'taken', runId: run.id, ...acceptance, at });
  change(tx, found, { node, agent, etaAt, theirTask, status: 'accepted', toldAt: at });
  return taken;
}

function change(tx: Tx, { task }: OrderedTask, changes: Partial<SentTask>): void {
  const row = selectSentTask(tx, task.id);
  if (row) upsertSentTask(tx, { ...row, ...changes });
}

export interface ToldUpdate {
  readonly status: string;
  readonly progress: number | null;
  readonly note: string | null;
  readonly revisedEtaAt: number | null;
}

/** runtime:values: the statuses that move the task here. */
const WAYS: Readonly<Record<string, Readonly<Partial<Record<TaskStatus, readonly TaskStatus[]>>>>> = {
  in_progress: { blocked: ['ready', 'in-progress'], review: ['in-progress'] },
  blocked: { 'in-progress': ['blocked'], review: ['blocked'] },
  review: { 'in-progress': ['review'], blocked: ['review'] },
};

/** News of the node that carries the task out. */
export function takeUpdate(tx: Tx, found: OrderedTask, update: ToldUpdate): readonly LedgerEvent[] {
  const { task } = found;
  const { status, progress, note, revisedEtaAt } = update;
  const before = selectSentTask(tx, task.id);
  const known = { status, toldAt: tx.moment.now.wallMs };
  change(tx, found, {
    ...known,
    ...(progress !== null && { progress }),
    ...(note !== null && { note }),
    ...(revisedEtaAt !== null && { revisedEtaAt }),
  });
  const actor = before?.agent && before.node ? receiverName({ agent: before.agent, node: before.node }) : 'dispatcher';
  const about = { actor, taskId: task.id, runId: task.runId };
  const told = {
    status,
    ...(note !== null && { note }),
    ...(revisedEtaAt !== null && { revisedEtaAt: iso(revisedEtaAt) }),
  };
  const events: LedgerEvent[] = [];
  if (before?.status !== status || revisedEtaAt !== null) {
    events.push(insertEvent(tx, { type: 'task.told', ...about, payload: told }));
  }
  if (progress !== null) {
    const payload = { run: task.runId, percentage: progress, text: note ?? '' };
    events.push(insertEvent(tx, { type: 'run.progressed', ...about, payload }));
  }
  const through = Object.hasOwn(WAYS, status) ? (WAYS[status]?.[task.status] ?? []) : [];
  const [first] = through;
  if (first === undefined || !canMove(task.status, first)) return events;
  const reason = note === null || note === '' ? `${actor} says ${status}` : note;
  return [...events, ...transitions(tx, task, { through, actor, reason }).events];
}

export interface OneRefusal {
  /** Its task_create. */
  readonly operation: string;
  readonly event: TaskFailedEnvelope;
}

/** One of several does not do it. It has the task_create, whether it acknowledged it or not; the others are waited for. */
export function takeOneRefusal(tx: Tx, { task }: OrderedTask, { operation, event }: OneRefusal): void {
  const { payload, sourceNodeId: node } = event;
  const { failedByAgentId: agent, failureClass, errorSummary = failureClass } = payload;
  const told = { status: 'refused', node, note: shorten(errorSummary, ANSWER_TEXT_CHARACTERS_MAX) };
  insertEvent(tx, { type: 'task.told', actor: `${agent}@${node}`, taskId: task.id, payload: told });
  noteArrived(tx, { operation, node, agent });
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** The end of the task on the other node. Where nothing is left to be looked at, the order is settled in the same commit. */
export function takeEnd(tx: Tx, found: OrderedTask, end: Omit<FactOf<'answered'>, 'kind' | 'runId' | 'at'>): void {
  const at = tx.moment.now.wallMs;
  stopSending(tx, found.task.id);
  writeFact(tx, found, { kind: 'answered', runId: found.task.runId, ...end, at });
  change(tx, found, { toldAt: at });
  const step = nextStep(selectExecution(tx, found.order));
  if (step.kind === 'settle') settle(tx, found, step.outcome);
}
