import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { delegationDepth } from '../../domain/task/task.ts';
import { type CapabilityRoute, routeFor } from '../../federation/capabilities/find-route.ts';
import type { Federation } from '../../federation/federation.ts';
import { selectSentTask } from '../../ledger/statements/federation/sent-tasks.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import { packTask } from '../../protocols/aop/sent-task.ts';
import { blobsOf, lastParcels } from '../shared-content.ts';
import { refuseLargeEvent } from './append-task-create.ts';
import { grantOf } from './plan-sent-order.ts';
import { type SendRequest, sendOrder } from './send-order.ts';
import { outcomeOfRefusal, type SenderParts, type SentOrder, settleSentOrder } from './sender-parts.ts';

type StrayedOrder = NonNullable<SendRequest['strayed']>;

/** Sends an order to whoever can do it now, or settles it where those who could have refused it. A refusal: nobody can now. */
export async function sendOrSettle(
  parts: SenderParts,
  federation: Federation,
  order: SentOrder,
): Promise<boolean | Refusal> {
  const { terms, remote } = order;
  const [first] = remote.refusals;
  const avoid = remote.refusals.map(({ node }) => node);
  const route = await routeFor(federation, { to: terms.to, needs: terms.needs, avoid });
  if (!isRefusal(route)) return await sendBy(parts, order, { federation, route });
  if (!first) return route;
  const message = `${first.node} refused it: ${first.reason}`;
  return await settleSentOrder(parts, order, outcomeOfRefusal({ code: 'no_route', message }));
}

/** Sends an order to others because those who had it are gone. False if nobody else can do it: its node may come back. */
export async function sendAgain(
  parts: SenderParts,
  { federation, strayed }: { readonly federation: Federation; readonly strayed: StrayedOrder },
  order: SentOrder,
): Promise<boolean> {
  const { terms, remote } = order;
  const avoid = [...strayed.nodes, ...remote.refusals.map(({ node }) => node)];
  const route = await routeFor(federation, { to: terms.to, needs: terms.needs, avoid });
  return isRefusal(route) ? false : await sendBy(parts, order, { federation, route, strayed });
}

interface Sending {
  readonly federation: Federation;
  readonly route: CapabilityRoute;
  readonly strayed?: StrayedOrder;
}

async function sendBy(parts: SenderParts, order: SentOrder, { federation, route, strayed }: Sending): Promise<boolean> {
  const { ledger } = parts;
  const { task, execution, terms } = order;
  const parcels = await parts.parcels();
  const blobs = blobsOf(federation.parts.transport);
  const earlier = order.remote.isWhole ? [] : lastParcels(ledger.read, route.routes);
  const parcel = await parcels.packWork({ task: task.id, haves: [], earlier, blobs });
  if (isRefusal(parcel)) return await settleSentOrder(parts, order, outcomeOfRefusal(parcel));
  const { message, order: asked } = execution;
  const aop = message ? packTask(message, asked.workspaceRoot) : null;
  if (aop !== null && isRefusal(aop)) return await settleSentOrder(parts, order, outcomeOfRefusal(aop));
  const outgoing = {
    terms,
    aop,
    order: asked,
    title: task.title,
    grant: grantOf(asked),
    depth: delegationDepth(task),
    ...route,
    parcel,
    before: selectSentTask(ledger.read, task.id)?.eventId ?? null,
  };
  const large = refuseLargeEvent(outgoing);
  if (large) return await settleSentOrder(parts, order, outcomeOfRefusal(large));
  crashPoint('federation.send');
  const sending = { sender: federation.sender, outgoing };
  const sent = await ledger.submit(sendOrder, { taskId: task.id, sending, ...(strayed && { strayed }) });
  crashPoint('federation.sent');
  return !isRefusal(sent);
}
