import type { StopReason } from '../../dispatch/attempt/attempt.ts';
import type { SentSteps } from '../../dispatch/steps/steps.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import type { SentOrderEdge } from '../../orders/sent-order-edge.ts';
import { sentReportStep } from './sent-report-step.ts';

type StepHow = Parameters<SentSteps['remote']>[1];

/** Without news an order on another node is looked after this often. */
const LOOK_MS = 2_000;
/** The same while it is being stopped. */
const STOPPING_LOOK_MS = 500;

interface SentStepParts {
  readonly world: OrderWorld;
  readonly remote: SentOrderEdge;
}

/** The steps of orders that other nodes run. */
export function sentSteps(parts: SentStepParts): SentSteps {
  return {
    remote: (open, how) => sentStep(parts, open, how),
    report: (open) => sentReportStep(parts.world, open),
  };
}

/** Runs one step of an order that another node runs. False if the order is left to the next node. */
async function sentStep({ world, remote }: SentStepParts, order: OpenOrder, { step, stop }: StepHow): Promise<boolean> {
  // From before the step: what comes while it runs counts as well.
  const news = new News(world, order.task.id, stop);
  try {
    if (await runStep(remote, order, step)) return true;
    if (remote.isBrief || isEnding(stop)) return false;
    await news.arrived(stop.aborted ? STOPPING_LOOK_MS : LOOK_MS);
    return !isEnding(stop);
  } finally {
    news.forget();
  }
}

async function runStep(remote: SentOrderEdge, order: OpenOrder, step: StepHow['step']): Promise<boolean> {
  switch (step.kind) {
    case 'send':
      return await remote.send(order);
    case 'await':
      return await remote.look(order);
    case 'recall':
      return await remote.recall(order, step.reason);
    case 'bring':
      return await remote.bring(order);
  }
}

/** The node shuts down. */
function isEnding(stop: AbortSignal): boolean {
  return stop.aborted && (stop.reason as StopReason).kind === 'loss';
}

/** The next change of a task by anybody. */
class News {
  readonly #timer: OrderWorld['timer'];
  readonly #stop: AbortSignal;
  readonly #forget: () => void;
  #isThere = false;
  #tell: () => void = () => {};

  constructor({ ledger, timer }: Pick<OrderWorld, 'ledger' | 'timer'>, taskId: TaskName, stop: AbortSignal) {
    this.#timer = timer;
    this.#stop = stop;
    this.#forget = ledger.onCommitted((touched) => {
      if (touched.has(taskId)) this.#arrive();
    });
    stop.addEventListener('abort', this.#arrive);
  }

  readonly #arrive = () => {
    this.#isThere = true;
    this.#tell();
  };

  /** Resolves with the news, or after the time. */
  async arrived(milliseconds: number): Promise<void> {
    if (this.#isThere) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#timer.after(milliseconds, resolve);
      this.#tell = () => {
        cancel();
        resolve();
      };
    });
  }

  forget(): void {
    this.#forget();
    this.#stop.removeEventListener('abort', this.#arrive);
  }
}
