import { dirname } from 'node:path';
import { type OrderCalls, orderCalls } from '../calls/order/order-calls.ts';
import type { OrderParts } from '../calls/order/order-records.ts';
import { remoteRequests, taskSender } from '../calls/order/send-task.ts';
import { takeOrder } from '../calls/order/take-order.ts';
import { Dispatcher } from '../dispatch/dispatcher.ts';
import { earlierNode } from '../dispatch/earlier-node.ts';
import { OrderRunner } from '../dispatch/order-runner.ts';
import type { RunWorld } from '../dispatch/run-world.ts';
import { stepsOf } from '../dispatch/steps/steps.ts';
import type { OrderRequest } from '../domain/order/order-request.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { RunChannel } from '../domain/task/channel.ts';
import type { TaskName } from '../domain/task/task.ts';
import { makeReceive, type Receive } from '../messages/receive.ts';
import type { AfpParts } from '../messages/receive-afp.ts';
import type { AopParts } from '../messages/receive-aop.ts';
import type { RuntimeParts } from '../messages/receive-runtime.ts';
import { deliverNotice } from '../notices/deliver-notice.ts';
import { Notifier } from '../notices/notifier.ts';
import { OrderStore } from '../operations/order/order-store.ts';
import { ensureOrder, handRouter } from '../orders/ensure-order.ts';
import { OrderEventTypes } from '../orders/order-event-types.ts';
import type { RemoteCaller, RemoteCalls } from '../remote/sender/sender-calls.ts';
import { SessionRunner } from '../sessions/session-runner.ts';

/** The parts that run orders, and the calls about them. */
export interface OrderService {
  readonly orders: OrderCalls;
  /** Creates a task that another node is to run, and has it sent. */
  sendTask(request: OrderRequest, caller: RemoteCaller): ReturnType<RemoteCalls['submit']>;
  readonly runner: OrderRunner;
  /** Not started: a node that lives for one command runs no agents. */
  readonly dispatcher: Dispatcher;
  /** Not started either: it tells people what happened. */
  readonly notifier: Notifier;
  /** Receives the messages of every channel. */
  readonly receive: Receive;
  onHeartbeat(runId: string): void;
  /** Whether this node runs the order of a task now. */
  readonly isDriven: Dispatcher['isDriving'];
  /** Whether this node runs the tasks of a session. */
  readonly isSessionCarried: Dispatcher['carriesSession'];
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
  /** Tasks of other nodes that may not start now; absent: none. */
  isHeldUp?(taskId: TaskName): boolean;
}

export function makeOrderService(world: RunWorld, options: OrderServiceOptions): OrderService {
  const { isBrief = false, provider, federation, exchanges } = options;
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
    runsRequestedOnly: options.runsRequestedOnly ?? false,
    sessions,
    accountOf: (task) => world.accountOfTask(task),
    isHeldUp: (taskId) => world.workplaces.isHeldUp(taskId) || (options.isHeldUp?.(taskId) ?? false),
    ensureOrder: (taskId) => ensureOrder(world, taskId),
    autoAgents: () => handRouter(world),
  });
  world.workplaces.isCarried = (taskId) => dispatcher.carries(taskId);
  const reporting = { settle: () => dispatcher.reportSettled(), dispatcher: isBrief ? null : dispatcher };
  const parts = { world, runner, sessions, exchanges, remote: remoteRequests(world, federation), ...reporting };
  const sendTask = taskSender(parts);
  const onHeartbeat = (runId: string) => runner.receive(runId, { kind: 'beat' });
  const eventTypes = new OrderEventTypes(world);
  const receive = makeReceive({
    ledger,
    provider,
    federation,
    sendTask,
    dataFolder: world.dataFolder,
    eventTypes: (channel) => eventTypes.of(channel),
    newId: () => world.ids.uuid(),
    order: (text, by) => orderByMessage(parts, text, by),
    signal: (runId, signal) => runner.receive(runId, signal),
    beat: (channel) => {
      const runId = channel.kind === 'run' ? channel.holder.runId : channel.run;
      if (runId !== null) onHeartbeat(runId);
    },
  });
  return {
    orders: orderCalls(parts),
    sendTask,
    runner,
    dispatcher,
    receive,
    onHeartbeat,
    isDriven: (taskId) => dispatcher.isDriving(taskId),
    isSessionCarried: (sessionId) => !isBrief && dispatcher.carriesSession(sessionId),
    reportSettled: async () => (isBrief ? await dispatcher.reportSettled() : dispatcher.wake()),
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
async function orderByMessage(
  parts: OrderParts,
  text: string,
  { key, decoded, holder }: SentBy,
): ReturnType<typeof takeOrder> {
  const { world, dispatcher } = parts;
  const by = { ...(key !== undefined && { key }), ...(holder && { holder }) };
  const answer = await takeOrder(parts, { text, workspace: dirname(world.dataFolder) }, { decoded, ...by });
  if (!isRefusal(answer)) dispatcher?.carry(answer.task.id);
  return answer;
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
