import { alternativeWhileHeld } from '../../domain/execution/choose-fallback.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import type { Fact, Outcome } from '../../domain/execution/fact.ts';
import { failedBefore, type RefusedStart, refusedOutcome } from '../../domain/execution/judge-dispatch.ts';
import type { Provenance } from '../../domain/order/order.ts';
import { isRefusal, type RefusalCode } from '../../domain/refusal.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import { isLive } from '../../domain/task/task-lifecycle.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import { selectRun } from '../../ledger/statements/runs.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import { type LeaseRequest, leaseOrder } from './lease-order.ts';
import { type PlainFact, recordFact } from './record-fact.ts';
import { type RequeueRequest, requeueOrder, unblockOrder } from './requeue-order.ts';
import { settleOrder } from './settle-order.ts';

const ROOM_PAUSE_MS = 1_000;

interface Pauses {
  pause(ms: number): Promise<void>;
}

/** An order that is not reported yet, with its task, as read from the ledger before this step. */
export interface OpenOrder {
  readonly task: Task;
  readonly round: number;
  /** Milliseconds since 1970. */
  readonly orderedAt: number;
  readonly provenance: Provenance;
  readonly execution: Execution;
}

/** No agent matches the target of an order, or one of its alternatives. */
export function unansweredFact({ execution: { order } }: OpenOrder, alternative: number | null): PlainFact {
  const wanted = alternative === null ? order.target : order.alternatives[alternative];
  return { kind: 'unanswered', alternative, message: `no agent answers to ${wanted?.provider} ${wanted?.model}` };
}

type Hold = NonNullable<RequeueRequest['quota']> & { readonly message: string };

/** Refusals of the commands below that only another change of the task causes: it was claimed, moved, edited or stopped. */
const MOVED_MEANWHILE: ReadonlySet<RefusalCode> = new Set([
  ...(['task_not_found', 'not_running', 'stale_run', 'already_claimed', 'invalid_transition'] as const),
  ...(['unauthorized_agent', 'dependencies_open', 'resource_busy'] as const),
]);

/** The orders of the ledger, as the runner reads and writes them. A write is refused if somebody moved the task meanwhile. */
export class OrderStore {
  readonly #ledger: Ledger;
  readonly #timer: Pauses;

  constructor(ledger: Ledger, timer: Pauses) {
    this.#ledger = ledger;
    this.#timer = timer;
  }

  /** The order of a task that is not reported yet, with all its facts; null if there is none. */
  read(taskId: TaskName): OpenOrder | null {
    const { read } = this.#ledger;
    const task = selectTask(read, taskId);
    const row = selectOrder(read, taskId);
    if (!task || !row?.isOpen) return null;
    const { round, at: orderedAt, provenance } = row;
    return { task, round, orderedAt, provenance, execution: selectExecution(read, row) };
  }

  /** The run that holds the task now, and whether its order may still be worked on. */
  holdOf(taskId: TaskName): { readonly runId: string | null; readonly isWorkable: boolean } {
    const task = selectTask(this.#ledger.read, taskId);
    const isWorkable = task !== null && isLive(task.status);
    return { runId: task?.runId ?? null, isWorkable };
  }

  /** The completion report that the agent of a run sent itself; null if it sent none. */
  reportOf(runId: string) {
    return selectRun(this.#ledger.read, runId)?.result ?? null;
  }

  /**
   * Runs a command that writes a fact; null if somebody moved the task, its order or its agent meanwhile, which its status
   * shows. Any other refusal is a bug, and would leave the order where it is without a word: it is thrown. A crash at `found`
   * happens after the step and before its row, a crash at `kept` after the row and before the next step. On a full disk it
   * waits for room: the result of the step is in memory alone.
   */
  async write<Facts, Result>(
    kind: Fact['kind'],
    command: Command<Facts, Result>,
    facts: Facts,
  ): Promise<Result | null> {
    crashPoint(`found.${kind}`);
    let answer = await this.#ledger.submit(command, facts);
    while (isRefusal(answer) && answer.code === 'storage_full') {
      await this.#timer.pause(ROOM_PAUSE_MS);
      answer = await this.#ledger.submit(command, facts);
    }
    crashPoint(`kept.${kind}`);
    if (!isRefusal(answer)) return answer;
    if (MOVED_MEANWHILE.has(answer.code)) return null;
    throw new Error(`the fact ${kind} was refused (${answer.code}): ${answer.message}`);
  }

  /** Leases the task to a new run and returns its id; null if the task is no longer available, or its agent is held. */
  async lease(open: OpenOrder, request: Omit<LeaseRequest, 'taskId'>, hold: Hold | null): Promise<string | null> {
    if (hold === null) {
      const leased = await this.write('leased', leaseOrder, { taskId: open.task.id, ...request });
      return leased?.run.id ?? null;
    }
    await this.#passHold(open, request, hold);
    return null;
  }

  /** Queues an order whose agent is held: for the alternative that it names, else until the hold ends. */
  async #passHold({ task, execution }: OpenOrder, request: Omit<LeaseRequest, 'taskId'>, hold: Hold): Promise<void> {
    const about = { taskId: task.id, afterMs: 0, reason: `out of quota: ${hold.message}`, cause: null };
    const alternative = alternativeWhileHeld(execution);
    if (alternative === null) await this.requeue({ ...request, ...about, quota: hold });
    else await this.requeue({ ...about, alternative, agent: execution.admitted?.alternatives[alternative] ?? null });
  }

  async record(taskId: TaskName, fact: PlainFact): Promise<boolean> {
    return (await this.write(fact.kind, recordFact, { taskId, fact })) !== null;
  }

  async requeue(request: RequeueRequest): Promise<boolean> {
    return (await this.write('requeued', requeueOrder, request)) !== null;
  }

  /** Makes a task ready again that waited in blocked for its next attempt. */
  async unblock(taskId: TaskName): Promise<void> {
    await this.write('requeued', unblockOrder, { taskId });
  }

  /** Settles an order that is refused before an agent started. A refusal for good gives its dispatch up (aof:dispatch). */
  async refuse(open: OpenOrder, refusal: RefusedStart): Promise<boolean> {
    return await this.settle(open, refusedOutcome(refusal));
  }

  /** Fails an order because a step cannot be done; before an agent started this counts as a failed start. */
  async fail(open: OpenOrder, message: string, isLasting: boolean): Promise<boolean> {
    const found = failedBefore(open.execution, message, isLasting);
    return 'kind' in found ? await this.record(open.task.id, found) : await this.settle(open, found);
  }

  /** `keepsFiles`: no rollback follows. */
  async settle({ task }: OpenOrder, outcome: Outcome, keepsFiles = false): Promise<boolean> {
    return (await this.write('settled', settleOrder, { taskId: task.id, outcome, keepsFiles })) !== null;
  }
}
