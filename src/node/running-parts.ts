import { quotaHoldsOf } from '../dispatch/order-agent.ts';
import type { AskedTasks } from '../dispatch/plan-tick.ts';
import type { PrintedMessages } from '../messages/printed-messages.ts';
import type { OrderOffers } from '../orders/order-offers.ts';
import type { OrderWorld } from '../orders/order-world.ts';
import type { Port } from '../platform/port.ts';
import { batonVersion } from '../platform/process/own-process.ts';
import { ReviewsDue } from '../reviews/reviews-due.ts';
import { AwakeTime } from '../sessions/awake-time.ts';
import type { OpenTaskFolders } from '../work/place/task-folder.ts';
import { FederationOnDemand } from './federation/federation-on-demand.ts';
import { FeedbackService, fixingParts } from './feedback-service.ts';
import { makeOrderService, type OrderService } from './order-service.ts';
import { liveRunsOf, runTalkOf, settingsTrustOf } from './order-world-of.ts';
import type { ServerOnDemand } from './server-on-demand.ts';

interface EarlierParts {
  readonly world: OrderWorld;
  /** Connected when the node listens. */
  readonly server: Port<ServerOnDemand>;
  /** Connected when the receiver of messages is made. */
  readonly printed: PrintedMessages;
  readonly taskFolders: OpenTaskFolders;
  /** The tasks that clients of this node asked for; null: it runs every waiting task. */
  readonly asked: AskedTasks | null;
  readonly isBrief?: boolean;
  readonly isAttended?: boolean;
  readonly runsRequestedOnly?: boolean;
  readonly offers?: OrderOffers | undefined;
}

interface RunningParts {
  readonly orderService: OrderService;
  readonly feedback: FeedbackService;
  readonly federation: FederationOnDemand;
  readonly reviewing: Pick<FeedbackService, 'provider' | 'exchanges'>;
}

/** The parts of a node that run orders, ask reviewers and talk with other nodes; each is made from those before it. */
export function makeRunningParts({
  world,
  server,
  printed,
  taskFolders,
  asked,
  ...options
}: EarlierParts): RunningParts {
  const live = liveRunsOf(world);
  const quota = quotaHoldsOf(world);
  const talk = runTalkOf(world, { ...options, receive: printed.receive, server: () => server.now });
  const due = new ReviewsDue();
  const feedback = new FeedbackService({ world, live, talk, quota, due });
  const federation = new FederationOnDemand(world, options);
  const trust = settingsTrustOf(world.dataFolder);
  const { remote, isHeldUp } = federation;
  const running = {
    world,
    live,
    talk,
    taskFolders,
    trust,
    remote,
    batonVersion: batonVersion(),
    reviewDue: due.announce,
  };
  const { provider, exchanges } = feedback;
  const reviewing = { provider, exchanges };
  const awake = new AwakeTime(world.ledger, world.clock);
  const others = { ...reviewing, federation: federation.open, isHeldUp, asked, quota, awake };
  const orderService = makeOrderService(running, { ...options, ...others });
  printed.connect(orderService.receive);
  feedback.connect(fixingParts(orderService, options));
  federation.connect(orderService);
  return { orderService, feedback, federation, reviewing };
}
