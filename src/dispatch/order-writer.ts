import { failedBefore, type RefusedStart, refusedOutcome } from '../domain/decisions/judge-dispatch.ts';
import { nextStep } from '../domain/decisions/next-step.ts';
import { changesLeft } from '../domain/execution/changes-left.ts';
import { lastRun, takeFact } from '../domain/execution/execution.ts';
import type { Outcome } from '../domain/execution/fact.ts';
import type { TaskName } from '../domain/task.ts';
import { type LeaseRequest, leaseOrder } from '../operations/lease-order.ts';
import { type PlainFact, recordAndSettle, recordFact } from '../operations/record-fact.ts';
import { type RequeueRequest, requeueOrder, unblockOrder } from '../operations/requeue-order.ts';
import { settleOrder } from '../operations/settle-order.ts';
import type { OrderBook } from './order-book.ts';
import type { OpenOrder } from './order-steps.ts';

type Hold = NonNullable<RequeueRequest['quota']> & { readonly message: string };

/** Writes the facts of an order. A write is refused if somebody moved the task meanwhile. */
export class OrderWriter {
  readonly #book: OrderBook;

  constructor(book: OrderBook) {
    this.#book = book;
  }

  /** Leases the task to a new run and returns its id; null if the task is no longer available, or its agent is held. */
  async lease(request: LeaseRequest, hold: Hold | null): Promise<string | null> {
    if (hold !== null) {
      const reason = `out of quota: ${hold.message}`;
      await this.requeue({ ...request, afterMs: 0, quota: hold, reason, cause: null });
      return null;
    }
    return (await this.#book.write('leased', leaseOrder, request))?.run.id ?? null;
  }

  /** Writes a fact. If `nextStep` settles the order after it, the fact and the settlement are one commit. */
  async record(taskId: TaskName, fact: PlainFact): Promise<boolean> {
    const order = this.#book.read(taskId);
    if (order === null) return false;
    const report = { taskId, fact };
    const execution = takeFact(order.execution, fact);
    const step = nextStep(execution);
    if (step.kind !== 'settle') return (await this.#book.write(fact.kind, recordFact, report)) !== null;
    const settlement = settlementOf({ ...order, execution }, step.outcome);
    return (await this.#book.write(fact.kind, recordAndSettle, { report, settlement })) !== null;
  }

  async requeue(request: RequeueRequest): Promise<boolean> {
    return (await this.#book.write('requeued', requeueOrder, request)) !== null;
  }

  /** Makes a task ready again that waited in blocked for its next attempt. */
  async unblock(taskId: TaskName): Promise<void> {
    await this.#book.write('requeued', unblockOrder, { taskId });
  }

  /** Settles an order that is refused before an agent started. A refusal for good gives its dispatch up (aof:dispatch). */
  async refuse(order: OpenOrder, refusal: RefusedStart): Promise<boolean> {
    return await this.settle(order, refusedOutcome(refusal));
  }

  /** Fails an order because a step cannot be done; before an agent started this counts as a failed start. */
  async fail(order: OpenOrder, message: string, isLasting: boolean): Promise<boolean> {
    const found = failedBefore(order.execution, message, isLasting);
    return 'kind' in found ? await this.record(order.task.id, found) : await this.settle(order, found);
  }

  async settle(order: OpenOrder, outcome: Outcome): Promise<boolean> {
    return (await this.#book.write('settled', settleOrder, settlementOf(order, outcome))) !== null;
  }
}

/** The settlement of an order: its outcome, the number of checks, and the changed files. */
function settlementOf({ task, execution }: OpenOrder, outcome: Outcome) {
  const last = lastRun(execution);
  const results = last?.verified?.results ?? [];
  const passed = results.filter(({ result }) => result === 'passed').length;
  const tests = { total: results.length, passed, failed: results.length - passed };
  const deliverables = changesLeft(execution).map(({ path }) => path);
  const isSessionEnding = execution.order.policy.onFailure === 'ABORT_SESSION';
  const isRunLost = last?.end?.kind === 'lost';
  return { taskId: task.id, outcome, tests, deliverables, isSessionEnding, isRunLost };
}
