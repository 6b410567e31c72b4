import type { StopReason } from '../../dispatch/attempt/attempt.ts';
import type { RunWorld } from '../../dispatch/run-world.ts';
import type { RemoteStep } from '../../domain/remote/next-sent-step.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';

type OwnStep = Extract<RemoteStep, { readonly kind: 'send' | 'await' | 'recall' | 'bring' }>;

/** Without news an order on another node is looked after this often. */
const LOOK_MS = 2_000;
/** The same while it is being stopped. */
const STOPPING_LOOK_MS = 500;

/** Runs one step of an order that another node runs. False if the order is left to the next node. */
export async function remoteStep(
  world: RunWorld,
  order: OpenOrder,
  { step, stop }: { readonly step: OwnStep; readonly stop: AbortSignal },
): Promise<boolean> {
  const { remote } = world;
  // From before the step: what comes while it runs counts as well.
  const news = new News(world, order.task.id, stop);
  try {
    if (await runStep(world, order, step)) return true;
    if (remote.isBrief || isEnding(stop)) return false;
    await news.arrived(stop.aborted ? STOPPING_LOOK_MS : LOOK_MS);
    return !isEnding(stop);
  } finally {
    news.forget();
  }
}

async function runStep({ remote }: RunWorld, order: OpenOrder, step: OwnStep): Promise<boolean> {
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
  readonly #timer: RunWorld['timer'];
  readonly #stop: AbortSignal;
  readonly #forget: () => void;
  #isThere = false;
  #tell: () => void = () => {};

  constructor({ ledger, timer }: Pick<RunWorld, 'ledger' | 'timer'>, taskId: TaskName, stop: AbortSignal) {
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
