import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { delegationDepth } from '../../domain/task/task.ts';
import { type RoutedTask, routeFor } from '../../federation/capabilities/find-route.ts';
import type { Federation } from '../../federation/federation.ts';
import { selectSentTask } from '../../ledger/statements/federation/sent-tasks.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import { packTask } from '../../protocols/aop/sent-task.ts';
import { blobsOf, parcelsOf } from '../shared-content.ts';
import { postingOf, refuseLargeTask } from './append-task-create.ts';
import { grantOf } from './plan-sent-order.ts';
import { type SendRequest, sendOrder } from './send-order.ts';
import { type RemoteOrder, type RemoteParts, refusedOutcome, settle } from './sender-parts.ts';

type StrayedOrder = NonNullable<SendRequest['strayed']>;

/** Sends an order to whoever can do it now, or settles it where those who could have refused it. A refusal: nobody can now. */
export async function sendRemote(
  parts: RemoteParts,
  federation: Federation,
  order: RemoteOrder,
): Promise<boolean | Refusal> {
  const { terms, remote } = order;
  const [first] = remote.refusals;
  const avoid = remote.refusals.map(({ node }) => node);
  const route = await routeFor(federation, { to: terms.to, needs: terms.needs, avoid });
  if (!isRefusal(route)) return await sendBy(parts, order, { federation, route });
  if (!first) return route;
  const message = `${first.node} refused it: ${first.reason}`;
  return await settle(parts, order, refusedOutcome({ code: 'no_route', message }));
}

/** Sends an order to others because those who had it are gone. False if nobody else can do it: its node may come back. */
export async function sendElsewhere(
  parts: RemoteParts,
  { federation, strayed }: { readonly federation: Federation; readonly strayed: StrayedOrder },
  order: RemoteOrder,
): Promise<boolean> {
  const { terms, remote } = order;
  const avoid = [...strayed.nodes, ...remote.refusals.map(({ node }) => node)];
  const route = await routeFor(federation, { to: terms.to, needs: terms.needs, avoid });
  return isRefusal(route) ? false : await sendBy(parts, order, { federation, route, strayed });
}

interface Sending {
  readonly federation: Federation;
  readonly route: RoutedTask;
  readonly strayed?: StrayedOrder;
}

async function sendBy(
  parts: RemoteParts,
  order: RemoteOrder,
  { federation, route, strayed }: Sending,
): Promise<boolean> {
  const { ledger } = parts;
  const { task, execution, terms } = order;
  const travel = await parts.travel();
  const blobs = blobsOf(federation.parts.transport);
  const earlier = order.remote.isWhole ? [] : parcelsOf(ledger.read, route.routes);
  const parcel = await travel.packWork({ task: task.id, haves: [], earlier, blobs });
  if (isRefusal(parcel)) return await settle(parts, order, refusedOutcome(parcel));
  const { message, order: asked } = execution;
  const aop = message ? packTask(message, asked.workspaceRoot) : null;
  if (aop !== null && isRefusal(aop)) return await settle(parts, order, refusedOutcome(aop));
  const posted = {
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
  const large = refuseLargeTask(posted);
  if (large) return await settle(parts, order, refusedOutcome(large));
  crashPoint('federation.send');
  const posting = postingOf(federation.sender, posted);
  const sent = await ledger.submit(sendOrder, { taskId: task.id, posting, ...(strayed && { strayed }) });
  crashPoint('federation.sent');
  return !isRefusal(sent);
}
