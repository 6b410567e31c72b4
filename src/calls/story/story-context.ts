import type { EventView } from '../../api/contract.ts';
import type { EventType } from '../../domain/trace/ledger-event.ts';
import { payloadText, tracedOf } from './event-payload.ts';

/** Events after which no turn is open. */
const ENDS_TURN: ReadonlySet<string> = new Set([
  ...['task.claimed', 'turn.recorded', 'order.snapshotted', 'run.verified', 'run.exited'],
]);
const IN_TURN: ReadonlySet<string> = new Set(['run.thought', 'run.spoke', 'run.tool_started', 'turn.recorded']);

/** The events that begin an item or change one that began before. Output is an item of its own. */
export const CONTEXT_TYPES: readonly EventType[] = [
  ...([
    'task.claimed',
    'run.session_opened',
    'run.thought',
    'run.spoke',
    'run.tool_started',
    'run.tool_ended',
  ] as const),
  ...(['turn.recorded', 'trace.event_recorded', 'order.snapshotted', 'run.verified', 'run.exited'] as const),
  ...(['workspace.recorded', 'question.asked', 'question.answered'] as const),
  ...(['feedback.asked', 'feedback.answered', 'feedback.lost'] as const),
];

/** A call is announced by the run and by its trace, so many events apart at most. */
const TWIN_EVENTS_MAX = 16;
/** The turn that is open before the part. */
const OPEN_TURN = 'open turn';
const CALL = 'call ';

/**
 * Finds how far back the items begin that change in a part of the log: it is given the events of the part, then those before it,
 * newest first, until every such item has begun.
 */
export class StoryContext {
  /** Items by the names that `needOf` and `beginOf` give them. */
  readonly #missing = new Set<string>();
  readonly #begun = new Set<string>();
  /** Calls that may have begun before they begin in the part. */
  readonly #twins = new Set<string>();
  #before = 0;

  get isWhole(): boolean {
    return this.#missing.size === 0 && (this.#twins.size === 0 || this.#before >= TWIN_EVENTS_MAX);
  }

  /** The next event of the part. */
  add(event: EventView): void {
    for (const name of needsOf(event)) if (!this.#begun.has(name)) this.#missing.add(name);
    const begun = beginOf(event);
    if (begun?.startsWith(CALL) && !this.#begun.has(begun)) this.#twins.add(begun);
    if (begun !== null) this.#begun.add(begun);
    if (ENDS_TURN.has(event.type)) this.#begun.add(OPEN_TURN);
  }

  /** The event before those that were given. */
  addBefore(event: EventView): void {
    if (ENDS_TURN.has(event.type)) this.#missing.delete(OPEN_TURN);
    this.#before++;
    const begun = beginOf(event) ?? '';
    const isFound = [this.#missing.delete(begun), this.#twins.delete(begun)].includes(true);
    // A call and the end of a turn are a part of a turn that begins before them.
    if (isFound && isInTurn(event)) this.#missing.add(OPEN_TURN);
  }
}

function needsOf(event: EventView): readonly string[] {
  const { type, payload, runId, sessionId } = event;
  if (isOfReviewer(event)) return type === 'feedback.asked' ? [] : [`review ${sessionId}`];
  if (type === 'run.session_opened') return [`run ${runId}`];
  if (type === 'workspace.recorded') return [`turn ${runId} ${payload.turnIndex}`];
  if (type === 'question.answered') return [`question ${payloadText(payload.question)}`];
  const call = endedCall(event);
  if (call !== null) return [`${CALL}${call}`];
  return isInTurn(event) || ENDS_TURN.has(type) ? [OPEN_TURN] : [];
}

/** Null for an event that begins nothing. */
function beginOf(event: EventView): string | null {
  const { type, payload, runId, sessionId } = event;
  if (isOfReviewer(event)) return type === 'feedback.asked' ? `review ${sessionId}` : null;
  if (type === 'task.claimed') return `run ${runId}`;
  if (type === 'turn.recorded') return `turn ${runId} ${payload.turnIndex}`;
  if (type === 'question.asked') return `question ${payloadText(payload.question)}`;
  if (type === 'run.tool_started') return `${CALL}${payloadText(payload.call)}`;
  const traced = tracedIn(event);
  return traced?.kind === 'begun' ? `${CALL}${traced.step.call}` : null;
}

function isOfReviewer({ type, runId }: EventView): boolean {
  return type.startsWith('feedback.') || runId?.startsWith('rvw_') === true;
}

function endedCall(event: EventView): string | null {
  if (event.type === 'run.tool_ended') return payloadText(event.payload.call);
  const traced = tracedIn(event);
  return traced?.kind === 'ended' ? traced.call : null;
}

function isInTurn(event: EventView): boolean {
  if (event.type !== 'trace.event_recorded') return IN_TURN.has(event.type);
  const traced = tracedIn(event);
  return traced?.kind === 'begun' || traced?.kind === 'thought';
}

function tracedIn({ type, payload, timestamp }: EventView) {
  return type === 'trace.event_recorded' ? tracedOf(payload, timestamp) : null;
}
