import { dirname } from 'node:path';
import { type OrderCalls, orderCalls } from '../calls/order/order-calls.ts';
import type { OrderParts } from '../calls/order/order-records.ts';
import { senderRequests, taskSender } from '../calls/order/send-task.ts';
import { takeOrder } from '../calls/order/take-order.ts';
import type { LiveRuns } from '../dispatch/attempt/live-runs.ts';
import { Dispatcher } from '../dispatch/dispatcher.ts';
import type { QuotaHolds } from '../dispatch/order-agent.ts';
import type { OrderRunner } from '../dispatch/order-runner.ts';
import type { AskedTasks } from '../dispatch/plan-tick.ts';
import type { StepParts } from '../dispatch/steps/step-parts.ts';
import type { OrderRequest } from '../domain/order/order-request.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task/task.ts';
import { makeReceive, type Receive } from '../messages/receive.ts';
import type { AfpParts } from '../messages/receive-afp.ts';
import type { AopParts } from '../messages/receive-aop.ts';
import type { RuntimeParts } from '../messages/receive-runtime.ts';
import { deliverNotice } from '../notices/deliver-notice.ts';
import { Notifier } from '../notices/notifier.ts';
import { ensureOrder, handRouter } from '../orders/ensure-order.ts';
import { OrderEventTypes } from '../orders/order-event-types.ts';
import { OrderOffers } from '../orders/order-offers.ts';
import type { OrderWorld } from '../orders/order-world.ts';
import type { Roster } from '../orders/roster.ts';
import type { SenderCaller, SenderCalls } from '../remote/sender/sender-calls.ts';
import { SessionRunner } from '../sessions/session-runner.ts';
import type { Awake } from '../sessions/session-store.ts';
import { makeOrderRunner } from './make-order-runner.ts';

/** The parts that run orders, and the calls about them. */
export interface OrderService {
  readonly orders: OrderCalls;
  /** Creates a task that another node is to run, and has it sent. */
  sendTask(request: OrderRequest, caller: SenderCaller): ReturnType<SenderCalls['submit']>;
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
  readonly holdOfTask: QuotaHolds['holdOfTask'];
  readonly holdOf: QuotaHolds['holdOf'];
  readonly activityOf: LiveRuns['activities']['of'];
  readonly glanceAt: LiveRuns['activities']['glanceAt'];
  readonly settings: Roster['settings'];
  readonly overlaps: LiveRuns['overlaps'];
  /** After a move by hand: an order that it settled is put back and reported, here where nobody else would. */
  reportSettled(): Promise<void>;
}

export interface OrderServiceOptions extends AfpParts, Pick<RuntimeParts, 'federation'>, Pick<OrderParts, 'exchanges'> {
  /** For the time of one command: it runs no agents. */
  readonly isBrief?: boolean;
  /** The tasks that its clients asked for; null: it runs every waiting task. */
  readonly asked: AskedTasks | null;
  readonly quota: QuotaHolds;
  readonly awake: Awake;
  /** Orders that were planned before there was this node. */
  readonly offers?: OrderOffers | undefined;
  /** Tasks of other nodes that may not start now; absent: none. */
  isHeldUp?(taskId: TaskName): boolean;
}

export function makeOrderService(steps: StepParts, options: OrderServiceOptions): OrderService {
  const { isBrief = false, asked, quota, awake, provider, federation, exchanges } = options;
  const { world, live } = steps;
  const { ledger, clock, timer, log } = world;
  const runner = makeOrderRunner(steps, quota);
  const { overlaps, activities } = live;
  const sessions = new SessionRunner({ world: { ledger, log, awake, activities, edge: world.edge }, runner });
  const dispatcher = new Dispatcher({
    ledger,
    runner,
    clock,
    timer,
    log,
    slots: () => world.roster.settings().slots,
    asked,
    sessions,
    accountOf: (task) => quota.accountOfTask(task),
    isHeldUp: (taskId) => world.workplaces.isHeldUp(taskId) || (options.isHeldUp?.(taskId) ?? false),
    ensureOrder: (taskId) => ensureOrder(world, taskId),
    autoAgents: () => handRouter(world),
  });
  const reporting = { settle: () => dispatcher.reportSettled(), dispatcher: isBrief ? null : dispatcher };
  const remote = senderRequests(world, federation);
  const { offers = new OrderOffers() } = options;
  const parts = { world, awake, overlaps, runner, sessions, exchanges, offers, remote, ...reporting };
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
    ...liveViewsOf(steps, quota),
  };
}

/** The parts that show what runs, and tell people of it. */
function liveViewsOf(
  { world, live }: StepParts,
  { holdOfTask, holdOf }: QuotaHolds,
): Pick<OrderService, 'holdOfTask' | 'holdOf' | 'activityOf' | 'glanceAt' | 'settings' | 'overlaps' | 'notifier'> {
  const { activities, overlaps } = live;
  return {
    holdOfTask,
    holdOf,
    overlaps,
    notifier: notifierOf(world),
    activityOf: (runId) => activities.of(runId),
    glanceAt: (runId) => activities.glanceAt(runId),
    settings: () => world.roster.settings(),
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

/** The part of a node that tells people what happened. */
function notifierOf(world: OrderWorld): Notifier {
  const { ledger, clock, timer, log } = world;
  return new Notifier({
    ...{ ledger, clock, timer, log },
    rules: () => world.roster.settings().notices ?? [],
    deliver: (rule, notice, signal) => deliverNotice(world, { rule, notice, signal }),
  });
}
