import { recordCode } from '../../../src/domain/failure-code.ts';
import { failureClassOf } from '../../../src/domain/order/failure-class.ts';
import { isAccepted, type WorkVerdict } from '../../../src/domain/order/work-verdict.ts';
import type { FailureCode } from '../../../src/domain/refusal.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import type { TaskName } from '../../../src/domain/task/task.ts';
import { selectOpenReceived } from '../../../src/ledger/statements/federation/received-tasks.ts';
import { selectOrder } from '../../../src/ledger/statements/orders.ts';
import { selectExecution } from '../../../src/ledger/statements/run-facts.ts';
import { recordFact } from '../../../src/operations/order/record-fact.ts';
import { settleOrder } from '../../../src/operations/order/settle-order.ts';
import { requestStop } from '../../../src/operations/order/stop-order.ts';
import type {
  AdmittedTask,
  ReceivedEnd,
  ReceivedWork,
  TaskToAdmit,
} from '../../../src/remote/receiver/received-work.ts';
import { anOrder } from '../order/an-order.ts';
import { aReport } from '../run/a-report.ts';
import { admitted } from '../run/an-execution.ts';
import { NEW_TASK } from '../task/task-life.ts';
import type { SimResult } from './sim-parcels.ts';
import type { TaskNode } from './sim-tasks.ts';

/** Agents of a simulated machine: each task takes its time, and its end is what the test says. */
export class SimWork implements ReceivedWork {
  readonly defaultAgent = null;
  /** How long a task takes. */
  workMs = 5_000;
  verdict: WorkVerdict = 'checked';
  output: unknown;
  /** Tasks that began here, by their uid on the wire; again after a crash. */
  readonly begun: string[] = [];
  readonly finished: string[] = [];
  readonly #node: TaskNode;
  readonly #since = new Map<TaskName, number>();

  constructor(node: TaskNode) {
    this.#node = node;
  }

  agentOf(): string {
    throw new Error('tasks are words here');
  }

  skillText(): string {
    return 'how it is done';
  }

  admit: ReceivedWork['admit'] = async (task: TaskToAdmit): Promise<AdmittedTask> => {
    const order = anOrder({ sessionId: `ses_${task.eventId}`, taskId: task.eventId });
    const fact = admitted({ agent: task.agent }) as Extract<ReturnType<typeof admitted>, { kind: 'admitted' }>;
    const asked = {
      ...NEW_TASK,
      title: task.title,
      body: task.words,
      agent: task.agent,
      metadata: { reviewRequired: false },
    };
    return {
      plan: 'it is done',
      round: { task: asked, order, provenance: null, message: null, admitted: fact },
    };
  };

  readonly endOf: ReceivedWork['endOf'] = async (taskId): Promise<ReceivedEnd | null> => {
    const row = selectOrder(this.#node.ledger.read, taskId);
    const execution = row && selectExecution(this.#node.ledger.read, row);
    const report = execution?.reported?.report;
    if (!execution || !report) return null;
    const { verdict } = report;
    const code: FailureCode | null = execution.stopReason?.code ?? null;
    const failureClass = isAccepted(verdict) ? null : failureClassOf({ verdict, code });
    const spend = { costUsd: 0.25, tokensInput: 10, tokensOutput: 5 };
    const outcome = {
      verdict,
      code: code && recordCode(code),
      message: verdict,
      summary: '',
      before: [],
      after: [],
      spend,
      model: null,
    };
    return {
      failureClass,
      outcome,
      resultRef: null,
      parcel: isAccepted(verdict) ? ({ verdict, costUsd: spend.costUsd } satisfies SimResult) : null,
      ...(this.output !== undefined && { output: this.output }),
    };
  };

  readonly stop: ReceivedWork['stop'] = async (taskId, why) => {
    await this.#node.ledger.submit(requestStop, { taskId, by: 'federation', why });
    await this.#end(taskId, 'aborted');
  };

  wake(): void {}

  loadOf(agent: string): number {
    return selectOpenReceived(this.#node.ledger.read, 100).filter((received) => received.agent === agent).length;
  }

  /** Begins and ends what is due. An agent that may be elsewhere by now begins nothing. */
  async turn(): Promise<void> {
    const { ledger, federation, nowMs } = this.#node;
    for (const { taskId, agent, fence, uid, state } of selectOpenReceived(ledger.read, 100)) {
      if (taskId === null || state !== 'accepted' || selectOrder(ledger.read, taskId)?.isOpen !== true) continue;
      const { presence } = federation;
      const isHeldUp = fence !== null && (!presence.isLeaseValid || presence.fenceOf(agent) !== fence);
      const since = this.#since.get(taskId);
      if (since === undefined && !isHeldUp) {
        this.#since.set(taskId, nowMs);
        this.begun.push(uid);
      } else if (since !== undefined && nowMs - since >= this.workMs) {
        this.finished.push(uid);
        await this.#end(taskId, this.verdict);
      }
    }
  }

  async #end(taskId: TaskName, verdict: WorkVerdict): Promise<void> {
    const { ledger } = this.#node;
    const outcome = { verdict, code: null, message: verdict, attempts: [] };
    const settled = await ledger.submit(settleOrder, { taskId, outcome });
    if (isRefusal(settled)) return;
    await ledger.submit(recordFact, { taskId, fact: { kind: 'reported', report: aReport({ verdict }) } });
  }
}
