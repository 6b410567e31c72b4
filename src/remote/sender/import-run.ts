import { type Attempt, type Execution, lastRun } from '../../domain/execution/execution.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { decideClaim } from '../../domain/task/decide-claim.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { PrintedLine, TraceMessage } from '../../domain/trace/trace.ts';
import type { RecordedState } from '../../domain/work/point.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { selectRecorded } from '../../ledger/statements/agent-logs.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { type OrderRow, selectOrder } from '../../ledger/statements/orders.ts';
import { insertFact, selectExecution } from '../../ledger/statements/run-facts.ts';
import { selectRun } from '../../ledger/statements/runs.ts';
import { addSessionCost } from '../../ledger/statements/sessions.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Reader, Tx } from '../../ledger/tx.ts';
import { writeFact } from '../../operations/order/open-order.ts';
import { addPoint } from '../../operations/run/record-point.ts';
import { readWaits, startRun } from '../../operations/run/start-run.ts';
import { addTraceRow } from '../../operations/run/write-trace.ts';

type FactOf<Kind extends Fact['kind']> = Extract<Fact, { readonly kind: Kind }>;

/** A step in the story of a run on another node. */
export type ImportedStep =
  | {
      readonly kind: 'message';
      /** The run there; null for the last one, which is the run of the task here. */
      readonly earlierRun: string | null;
      readonly message: TraceMessage;
      readonly lines: readonly PrintedLine[];
    }
  | {
      readonly kind: 'state';
      readonly point: 'turn' | 'end';
      readonly turnIndex: number | null;
      readonly state: RecordedState;
    };

/** A run on another node, as facts about the round of the task here. */
export interface ResultRun {
  readonly taskId: TaskName;
  readonly round: number;
  /** For a task that no run holds yet. */
  readonly agent: string;
  readonly snapshotted: FactOf<'snapshotted'>;
  readonly ended: Omit<FactOf<'ended'>, 'runId'>;
  readonly collected: Omit<FactOf<'collected'>, 'runId'>;
  readonly verified: Omit<FactOf<'verified'>, 'runId'> | null;
  readonly rolledBack: FactOf<'rolled-back'> | null;
  readonly steps: readonly ImportedStep[];
  /** Steps of the story that did not come, or were none. */
  readonly stepsLeftOut: number;
}

export interface ImportedRun {
  /** False where the ledger had it already. */
  readonly isNew: boolean;
  readonly runId: string;
  readonly events: readonly LedgerEvent[];
}

/**
 * Records a run of another node in the open round of a task: the work, its story and its states, in one commit. The same one
 * again changes nothing. The order is not settled by it.
 */
export const importRun: Command<ResultRun, ImportedRun> = (tx, run) => {
  const found = importPlace(tx, { ...run, commit: run.collected.commit });
  if (isRefusal(found)) return found;
  if (found.isDone) return { isNew: false, runId: found.runId, events: [] };
  const { order } = found;
  const { task, runId, events } = beginRun(tx, found, run);
  const about = { task, order };
  const started = writeFact(tx, about, run.snapshotted);
  addState(tx, about, { state: run.snapshotted.recorded, seq: started.seq, kind: 'start' });
  const told = [
    ...noteLeftOut(tx, task, { ...run, runId }),
    ...run.steps.flatMap((step) => writeStep(tx, { ...about, runId }, step)),
  ];
  const attempt = lastRun(selectExecution(tx, order));
  const facts: readonly (FactOf<'ended' | 'collected' | 'verified' | 'rolled-back'> | null)[] = [
    attempt?.end === null ? { ...run.ended, runId } : null,
    { ...run.collected, runId },
    run.verified && { ...run.verified, runId },
    run.rolledBack,
  ];
  const written = facts.filter((fact) => fact !== null).map((fact) => writeImported(tx, about, fact));
  return { isNew: true, runId, events: [...events, started, ...told, ...written] };
};

type ImportPlace =
  | { readonly isDone: true; readonly runId: string }
  | { readonly isDone: false; readonly task: Task; readonly order: OrderRow };

interface PlaceQuestion extends Pick<ResultRun, 'taskId' | 'round' | 'agent'> {
  /** The state after the work. */
  readonly commit: string | null;
}

/** The round that a run of another node belongs to; a refusal where it cannot have one any more. */
export function importPlace(read: Reader, { taskId, round, commit, agent }: PlaceQuestion): ImportPlace | Refusal {
  const task = selectTask(read, taskId);
  const order = selectOrder(read, taskId);
  if (!task || order?.round !== round) return refuse('task_not_found', `${taskId} has no round ${round} that waits`);
  const execution = selectExecution(read, order);
  const done = importedRun(execution, commit);
  if (done !== null) return { isDone: true, runId: done };
  if (!order.isOpen || execution.outcome !== null) {
    return refuse('not_running', `${taskId} is over: the work of the other node comes too late`);
  }
  if (execution.snapshotted !== null) {
    return refuse('already_claimed', `${taskId} has work of its own, or another result`);
  }
  if (task.runId === null) {
    // Its agent there need not have the name that the task was routed to.
    const claim = decideClaim(task, { agent: task.routing.agent ?? agent, ...readWaits(read, task) });
    if (isRefusal(claim)) return claim;
  }
  return { isDone: false, task, order };
}

/** The run that has this result; null where it was not imported. */
function importedRun(execution: Execution, commit: string | null): string | null {
  const { snapshotted } = execution;
  if (snapshotted?.workplace.kind !== 'worktree' || snapshotted.workplace.elsewhere === undefined) return null;
  const isIts = (attempt: Attempt) => attempt.collected?.commit === commit;
  return execution.attempts.find(isIts)?.runId ?? null;
}

interface BegunRun {
  readonly task: Task;
  readonly runId: string;
  readonly events: readonly LedgerEvent[];
}

/** The run that holds the task, or one that begins now: its program started elsewhere. */
function beginRun(
  tx: Tx,
  { task, order }: Extract<ImportPlace, { readonly isDone: false }>,
  { agent }: ResultRun,
): BegunRun {
  const at = tx.moment.now.wallMs;
  if (task.runId !== null) return { task, runId: task.runId, events: [] };
  const claimed = startRun(tx, task, { agent, process: null, reason: 'done by another node', actor: 'dispatcher' });
  const { id: runId } = claimed.run;
  insertFact(tx, order, { kind: 'leased', runId, agent, alternative: null, at });
  const launched = { kind: 'launched', runId, pid: null, startTicks: null } as const;
  return { task: claimed.task, runId, events: [...claimed.events, writeFact(tx, { ...claimed, order }, launched)] };
}

interface About {
  readonly task: Task;
  readonly order: OrderRow;
}

function writeImported(
  tx: Tx,
  about: About,
  fact: FactOf<'ended' | 'collected' | 'verified' | 'rolled-back'>,
): LedgerEvent {
  if (fact.kind === 'ended') addSessionCost(tx, about.order.sessionId, fact.spend.costUsd);
  return writeFact(tx, about, fact);
}

interface NewState {
  readonly state: RecordedState | undefined;
  readonly seq: number;
  readonly kind: 'start' | 'turn' | 'end';
  readonly turnIndex?: number | null;
}

function addState(tx: Tx, { task, order }: About, { state, seq, kind, turnIndex = null }: NewState): void {
  if (state) addPoint(tx, selectTask(tx, task.id) ?? task, { ...state, seq, kind, turnIndex, round: order.round });
}

function noteLeftOut(
  tx: Tx,
  { id: taskId }: Task,
  { runId, stepsLeftOut }: { readonly runId: string; readonly stepsLeftOut: number },
): readonly LedgerEvent[] {
  if (stepsLeftOut === 0) return [];
  const message = `${stepsLeftOut} messages of its trace were left out: the oldest, and those that are none`;
  return [
    insertEvent(tx, { type: 'run.warned', actor: 'dispatcher', taskId, runId, payload: { run: runId, message } }),
  ];
}

/** Nothing is written twice: a message that the run has already, or of a run that is another task's, is left out. */
function writeStep(tx: Tx, about: About & { readonly runId: string }, step: ImportedStep): readonly LedgerEvent[] {
  const { task, runId } = about;
  if (step.kind === 'state') {
    const { state, point, turnIndex } = step;
    const payload = { run: runId, turnIndex, commit: state.commit, files: state.files };
    const event = insertEvent(tx, { type: 'workspace.recorded', actor: 'dispatcher', taskId: task.id, runId, payload });
    addState(tx, about, { state, seq: event.seq, kind: point, turnIndex });
    return [event];
  }
  const { message, earlierRun, lines } = step;
  if (earlierRun !== null && selectRun(tx, earlierRun) !== null) return [];
  const of = { taskId: task.id, runId: earlierRun ?? runId };
  const turnIndex = message.fact.kind === 'turn' ? message.fact.index : null;
  if (selectRecorded(tx, { ...of, eventId: message.eventId, turnIndex }) !== null) return [];
  return [addTraceRow(tx, task, { ...of, ...message, ...(lines.length > 0 && { lines }) })];
}
