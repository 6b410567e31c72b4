import { splitAddress } from '../federation/choose-recipients.ts';
import type { SentState } from './sent-fact.ts';

export type TaskEventKind = 'task_accept' | 'task_update' | 'task_complete' | 'task_failed';

/** An event of another node about a task that this node sent. */
export interface SentOrderEvent {
  readonly kind: TaskEventKind;
  readonly node: string;
  /** The agent that it speaks for. */
  readonly agent: string;
  readonly corrId: string;
}

/** The order that it is about. */
export interface AwaitedOrder extends SentState {
  /** Its round is settled here. */
  readonly isOver: boolean;
}

export type SentEventVerdict =
  | { readonly kind: 'apply' }
  /** Its sender was asked, and has not accepted before: with this event it has. */
  | { readonly kind: 'apply-accepted' }
  /** One of several has refused it; the others may still accept it. */
  | { readonly kind: 'one-refused' }
  /** It changes nothing: a repetition, or too late. */
  | { readonly kind: 'ignore' }
  | { readonly kind: 'refuse'; readonly reason: string };

/** Whether an event of another node counts. Nobody speaks for a task that was not asked to do it. */
export function judgeSentEvent(event: SentOrderEvent, order: AwaitedOrder): SentEventVerdict {
  const { kind, node, agent, corrId } = event;
  const { sent, taken, answered, isOver } = order;
  if (sent !== null && sent.corrId !== corrId) return refuse('it belongs to another round of the task');
  const isHolder = taken?.node === node;
  if (taken !== null && !isHolder) return refuse(`${taken.agent} on ${taken.node} does it`);
  if (taken === null && !isAsked(event, order)) return refuse(`${agent} on ${node} was not asked to do it`);
  if (isHolder && taken.agent !== agent) return refuse(`${taken.agent} does it, not ${agent}`);
  if (isOver || answered !== null)
    return kind === 'task_accept' && !isHolder ? refuse('it is over') : { kind: 'ignore' };
  if (isHolder) return { kind: kind === 'task_accept' ? 'ignore' : 'apply' };
  if (order.recalled !== null && kind === 'task_accept') return refuse('it was called back');
  return beforeAcceptance(kind, sent?.to.length ?? 0);
}

function refuse(reason: string): SentEventVerdict {
  return { kind: 'refuse', reason };
}

/** An acceptance that was lost on its way is no reason to lose the work. */
function beforeAcceptance(kind: TaskEventKind, asked: number): SentEventVerdict {
  switch (kind) {
    case 'task_accept':
      return { kind: 'apply' };
    case 'task_failed':
      return { kind: asked > 1 ? 'one-refused' : 'apply' };
    case 'task_update':
    case 'task_complete':
      return { kind: 'apply-accepted' };
  }
}

/** A node that was asked itself chooses its agent. */
function isAsked({ node, agent }: SentOrderEvent, { sent }: SentState): boolean {
  return (sent?.to ?? []).some((asked) => {
    const [name] = splitAddress(asked.agent);
    return asked.node === node && (asked.agent === node || name === agent);
  });
}
