import type { EventView } from '../../api/contract.ts';
import type { NodeClient } from '../../api/node-client.ts';
import type { OrderReport } from '../../api/order/order-contract.ts';
import type { SessionView } from '../../api/session/session-contract.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { isEncodedType } from '../../protocols/aop/encode-event.ts';
import type { WakingTimer } from '../order/follow-order.ts';

/** One thing to show of a session while it runs. */
export type SessionUpdate =
  | { readonly kind: 'begun'; readonly session: SessionView }
  | { readonly kind: 'event'; readonly event: EventView; readonly message: object | null; readonly member: string }
  /** A task is over. */
  | { readonly kind: 'task'; readonly report: OrderReport; readonly member: string }
  | { readonly kind: 'end'; readonly session: SessionView; readonly report: object }
  | { readonly kind: 'refusal'; readonly refusal: Refusal };

export interface SessionFollowing {
  readonly client: NodeClient;
  readonly sessionId: string;
  readonly timer: WakingTimer;
  /** Number of the last event already shown. */
  readonly after: number;
}

const PAUSE_MS_MIN = 10;
const PAUSE_MS_MAX = 160;
const PAUSE_GROWTH = 1.25;

/** Events and reports of a session, in order, until its final report. */
export async function* followSession({
  client,
  sessionId,
  timer,
  ...from
}: SessionFollowing): AsyncGenerator<SessionUpdate> {
  let after = from.after;
  let pauseMs = PAUSE_MS_MIN;
  const begun = await client.showSession({ session: sessionId });
  if (isRefusal(begun)) return yield { kind: 'refusal', refusal: begun };
  yield { kind: 'begun', session: begun };
  const names = new Map(begun.tasks.map(({ id, task_id: member }) => [id, member]));
  for (;;) {
    const page = await client.listEvents({ after, session: sessionId });
    if (isRefusal(page)) return yield { kind: 'refusal', refusal: page };
    for (const event of page.events) {
      after = event.eventId;
      if (event.type === 'session.joined') names.set(event.taskId ?? '', String(event.payload.member));
      const end = event.type === 'session.reported' ? await endOf(client, sessionId) : null;
      if (end !== null) return yield end;
      const member = names.get(event.taskId ?? '') ?? event.taskId ?? '';
      yield { kind: 'event', event, message: messageOf(event), member };
      if (event.type === 'order.reported') yield* reportOf(client, event, member);
    }
    if (page.events.length > 0) pauseMs = PAUSE_MS_MIN;
    else {
      await timer.pause(pauseMs);
      pauseMs = Math.min(pauseMs * PAUSE_GROWTH, PAUSE_MS_MAX);
    }
  }
}

function messageOf({ type, payload }: EventView): object | null {
  return isEncodedType(type) ? ((payload.message as object | undefined) ?? null) : null;
}

async function* reportOf(client: NodeClient, { taskId }: EventView, member: string): AsyncGenerator<SessionUpdate> {
  const report = taskId === null ? null : await client.orderReport({ task: taskId });
  if (report === null) return;
  if (isRefusal(report)) yield { kind: 'refusal', refusal: report };
  else yield { kind: 'task', report, member };
}

/** Null for a session that runs again: somebody reopened it. */
async function endOf(client: NodeClient, sessionId: string): Promise<SessionUpdate | null> {
  const session = await client.showSession({ session: sessionId });
  if (isRefusal(session)) return { kind: 'refusal', refusal: session };
  if (session.final_signal === null) return null;
  const answer = await client.sessionReport({ session: sessionId });
  if (isRefusal(answer)) return { kind: 'refusal', refusal: answer };
  return { kind: 'end', session, report: answer.report ?? {} };
}
