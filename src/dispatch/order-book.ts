import { replay } from '../domain/execution/execution.ts';
import type { Order } from '../domain/order.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type StoredOrder, selectOrder } from '../ledger/statements/orders.ts';
import { selectFacts } from '../ledger/statements/run-facts.ts';
import { selectTask } from '../ledger/statements/select-task.ts';
import type { OrderAtHand } from './order-steps.ts';

/** The orders of the ledger, as the runner reads and writes them. */
export class OrderBook {
  readonly #ledger: Ledger;
  readonly #orderOf: (stored: StoredOrder) => Order;

  constructor(ledger: Ledger, orderOf: (stored: StoredOrder) => Order) {
    this.#ledger = ledger;
    this.#orderOf = orderOf;
  }

  /** An order that is not reported yet, with all its facts; null where there is none. */
  read(taskId: TaskName): OrderAtHand | null {
    const { read } = this.#ledger;
    const task = selectTask(read, taskId);
    const stored = selectOrder(read, taskId);
    if (!task || !stored?.isOpen) return null;
    return { task, stored, execution: replay(this.#orderOf(stored), selectFacts(read, stored)) };
  }

  /** The run that holds the task now. */
  runOf(taskId: TaskName): string | null {
    return selectTask(this.#ledger.read, taskId)?.runId ?? null;
  }

  /** What a command gives; null where it was refused: the order is no longer ours, somebody moved the task meanwhile. */
  async write<Facts, Result>(command: Command<Facts, Result>, facts: Facts): Promise<Result | null> {
    const answer = await this.#ledger.submit(command, facts);
    return isRefusal(answer) ? null : answer;
  }
}
