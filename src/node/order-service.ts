import { dirname } from 'node:path';
import { type OrderCalls, orderCalls } from '../api/in-process/order-calls.ts';
import type { OrderParts } from '../api/in-process/order-records.ts';
import { Dispatcher } from '../dispatch/dispatcher.ts';
import { earlierNode } from '../dispatch/earlier-node.ts';
import { deliverNotice } from '../dispatch/notices/deliver-notice.ts';
import { Notifier } from '../dispatch/notices/notifier.ts';
import { OrderEventTypes } from '../dispatch/order-event-types.ts';
import { OrderRunner } from '../dispatch/order-runner.ts';
import { OrderStore } from '../dispatch/order-store.ts';
import { acceptOrder } from '../dispatch/orders/accept-order.ts';
import { ensureOrder, handRouter } from '../dispatch/orders/ensure-order.ts';
import type { RunWorld } from '../dispatch/run-world.ts';
import { SessionRunner } from '../dispatch/sessions/session-runner.ts';
import { stepsOf } from '../dispatch/steps/steps.ts';
import type { RunChannel } from '../domain/channel.ts';
import { isRefusal } from '../domain/refusal.ts';
import { makeReceive, type Receive } from '../messages/receive.ts';
import type { AfpParts } from '../messages/receive-afp.ts';
import type { AopParts } from '../messages/receive-aop.ts';
import type { RuntimeParts } from '../messages/receive-runtime.ts';

/** The parts that run orders, and the calls about them. */
export interface OrderService {
  readonly orders: OrderCalls;
  /** Not started: a node that lives for one command runs no agents. */
  readonly dispatcher: Dispatcher;
  /** Not started either: it tells people what happened. */
  readonly notifier: Notifier;
  /** Receives the messages of every channel. */
  readonly receive: Receive;
  onHeartbeat(runId: string): void;
  /** Whether this node runs the order of a task now. */
  readonly isDriven: Dispatcher['isDriving'];
  /** The hold on the account of a task's agent; null while its vendor serves it. */
  readonly holdOfTask: RunWorld['holdOfTask'];
  readonly holdOf: RunWorld['holdOf'];
  readonly activityOf: RunWorld['activities']['of'];
  readonly glanceAt: RunWorld['activities']['glanceAt'];
  readonly settings: RunWorld['settings'];
  readonly overlaps: RunWorld['overlaps'];
  /** After a move by hand: an order that it settled is put back and reported, here where nobody else would. */
  reportSettled(): Promise<void>;
}

export interface OrderServiceOptions extends AfpParts, Pick<RuntimeParts, 'federation'>, Pick<OrderParts, 'exchanges'> {
  /** For the time of one command: it runs no agents. */
  readonly isBrief?: boolean;
  /** It runs only tasks that its clients ask for. */
  readonly runsRequestedOnly?: boolean;
}

export function makeOrderService(
  world: RunWorld,
  { isBrief = false, runsRequestedOnly = false, provider, federation, exchanges }: OrderServiceOptions,
): OrderService {
  const { ledger, clock, timer, log } = world;
  const runner = makeRunner(world);
  const sessions = new SessionRunner({ world, runner });
  const dispatcher = new Dispatcher({
    ledger,
    runner,
    clock,
    timer,
    log,
    slots: () => world.settings().slots,
    runsRequestedOnly,
    sessions,
    accountOf: (task) => world.accountOfTask(task),
    isHeldUp: (taskId) => world.workplaces.isHeldUp(taskId),
    ensureOrder: (taskId) => ensureOrder(world, taskId),
    autoAgents: () => handRouter(world),
  });
  world.workplaces.isCarried = (taskId) => dispatcher.carries(taskId);
  const settle = () => dispatcher.reportSettled();
  const parts = { world, runner, sessions, settle, exchanges, dispatcher: isBrief ? null : dispatcher };
  const onHeartbeat = (runId: string) => runner.receive(runId, { kind: 'beat' });
  const eventTypes = new OrderEventTypes(world);
  const receive = makeReceive({
    ledger,
    provider,
    federation,
    dataFolder: world.dataFolder,
    eventTypes: (channel) => eventTypes.of(channel),
    order: async (text, by) => {
      const answer = await orderByMessage(world, text, by);
      if (!isRefusal(answer)) parts.dispatcher?.carry(answer.task.id);
      return answer;
    },
    signal: (runId, signal) => runner.receive(runId, signal),
    beat: (channel) => {
      const runId = channel.kind === 'run' ? channel.holder.runId : channel.run;
      if (runId !== null) onHeartbeat(runId);
    },
  });
  const reportSettled = async () => (isBrief ? await dispatcher.reportSettled() : dispatcher.wake());
  return {
    orders: orderCalls(parts),
    dispatcher,
    receive,
    onHeartbeat,
    isDriven: (taskId) => dispatcher.isDriving(taskId),
    reportSettled,
    ...liveViewsOf(world),
  };
}

function makeRunner(world: RunWorld): OrderRunner {
  const store = new OrderStore(world.ledger, world.timer);
  return new OrderRunner({
    store,
    clock: world.clock,
    steps: stepsOf(world),
    earlierNode: earlierNode(world, store),
    holdOfTask: (task) => world.holdOfTask(task),
  });
}

/** The parts that show what runs, and tell people of it. */
function liveViewsOf(
  world: RunWorld,
): Pick<OrderService, 'holdOfTask' | 'holdOf' | 'activityOf' | 'glanceAt' | 'settings' | 'overlaps' | 'notifier'> {
  const { holdOfTask, holdOf, activities, overlaps } = world;
  return {
    holdOfTask,
    holdOf,
    overlaps,
    notifier: notifierOf(world),
    activityOf: (runId) => activities.of(runId),
    glanceAt: (runId) => activities.glanceAt(runId),
    settings: () => world.settings(),
  };
}

type SentBy = Parameters<AopParts['order']>[1];

/** A TASK names its own workspace; the folder around the data folder is for one that names none. */
function orderByMessage(
  world: RunWorld,
  text: string,
  { key, decoded, holder }: SentBy,
): ReturnType<typeof acceptOrder> {
  const request = { text, workspace: dirname(world.dataFolder) };
  return acceptOrder(world, request, { decoded, ...(key !== undefined && { key }), ...(holder && { holder }) });
}

/** Receives a message that an agent printed; resolves with its verdict, code and reason where it was not accepted. */
export async function receiveFromRun(
  { receive }: Pick<OrderService, 'receive'>,
  text: string,
  channel: RunChannel,
): Promise<string | null> {
  const { verdict, code, errors } = await receive(text, channel);
  return verdict === 'accepted' ? null : `${verdict}, ${code}: ${errors[0]?.message ?? 'no message'}`;
}

/** The part of a node that tells people what happened. */
function notifierOf(world: RunWorld): Notifier {
  const { ledger, clock, timer, log } = world;
  return new Notifier({
    ...{ ledger, clock, timer, log },
    rules: () => world.settings().notices ?? [],
    deliver: (rule, notice, signal) => deliverNotice(world, { rule, notice, signal }),
  });
}
