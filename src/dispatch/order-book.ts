import { replay } from '../domain/execution/execution.ts';
import type { Fact } from '../domain/execution/fact.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectFacts } from '../ledger/statements/run-facts.ts';
import { selectRun } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { crashPoint } from '../platform/crash-point.ts';
import type { OpenOrder } from './order-steps.ts';

const ROOM_PAUSE_MS = 1_000;

interface Pauses {
  pause(ms: number): Promise<void>;
}

/** The orders of the ledger, as the runner reads and writes them. */
export class OrderBook {
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
    return { task, round, orderedAt, provenance, execution: replay(selectFacts(read, row)) };
  }

  /** The run that holds the task now, and whether its order may still be worked on. */
  holdOf(taskId: TaskName): { readonly runId: string | null; readonly isWorkable: boolean } {
    const task = selectTask(this.#ledger.read, taskId);
    const isWorkable = task !== null && ['backlog', 'ready', 'in-progress'].includes(task.status);
    return { runId: task?.runId ?? null, isWorkable };
  }

  /** The completion report that the agent of a run sent itself; null if it sent none. */
  reportOf(runId: string) {
    return selectRun(this.#ledger.read, runId)?.result ?? null;
  }

  /** The run that holds the task now. */
  runOf(taskId: TaskName): string | null {
    return selectTask(this.#ledger.read, taskId)?.runId ?? null;
  }

  /**
   * Runs a command that writes a fact; null if it was refused, because somebody moved the task meanwhile. A crash at
   * `found` happens after the step and before its row, a crash at `kept` after the row and before the next step. On a full
   * disk it waits for room: the result of the step is in memory alone.
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
    return isRefusal(answer) ? null : answer;
  }
}
