import type { AgentRole } from '../agent/agent.ts';

/** The kind of a turn in the columns and filters that name the types of events. */
export const TURN_KIND = 'TURN';

/** The meaning of one message of a trace, whatever its protocol. */
export type TraceFact =
  | {
      readonly kind: 'turn';
      /** Counted from 0 within the run. */
      readonly index: number;
      readonly role: AgentRole;
      /** 0 to 1. */
      readonly confidence: number;
      readonly thought: string;
      readonly observation: string;
    }
  | {
      readonly kind: 'thought';
      readonly turnIndex: number;
      readonly role: AgentRole;
      readonly chunk: string;
      /** The last chunk of the turn's thought. */
      readonly isFinal: boolean;
    }
  | { readonly kind: 'call'; readonly callId: string; readonly tool: string }
  | { readonly kind: 'return'; readonly callId: string; readonly tool: string; readonly isSuccess: boolean }
  /** Terminal output, transitions and registered types: nothing follows from them. */
  | { readonly kind: 'other' };

/** A turn or an event of a run. */
export interface TraceMessage {
  /** Null for a turn. */
  readonly eventId: string | null;
  /** TURN, or the type of the event. */
  readonly type: string;
  /** The message as its sender wrote it. */
  readonly envelope: string;
  readonly fact: TraceFact;
}

/** A line of a program's output, masked. */
export interface PrintedLine {
  readonly text: string;
  readonly isMasked: boolean;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** A message of a trace that Baton makes itself; an edge encodes it. */
export type MadeTrace = { readonly eventId: string; readonly sessionId: string; readonly at: number } & (
  | {
      readonly kind: 'thought';
      readonly turnIndex: number;
      readonly role: AgentRole;
      readonly chunk: string;
      readonly isFinal: true;
    }
  | { readonly kind: 'timeout'; readonly callId: string; readonly tool: string; readonly durationMs: number }
  | { readonly kind: 'output'; readonly line: PrintedLine }
);

export type EncodeTrace = (made: MadeTrace) => TraceMessage;

/** A rewind: its event, and the position of the trace that it led back to. */
export interface RewindMark {
  readonly seq: number;
  readonly toSeq: number;
}

/** Positions of a trace that still count: those above `after`, up to and including `upTo`. */
export interface CountingSpan {
  readonly after: number;
  readonly upTo: number;
}

/**
 * The parts of a trace that no rewind has superseded, newest first. A rewind continues from the point that it returned to; of
 * everything before it only what led to that point counts, so a rewind to a superseded point brings it back.
 */
export function countingSpans(rewinds: readonly RewindMark[]): readonly CountingSpan[] {
  const spans: CountingSpan[] = [];
  let upTo = Number.POSITIVE_INFINITY;
  for (const { seq, toSeq } of rewinds.toSorted((one, other) => other.seq - one.seq)) {
    if (seq > upTo) continue;
    spans.push({ after: seq - 1, upTo });
    upTo = toSeq;
  }
  return [...spans, { after: Number.NEGATIVE_INFINITY, upTo }];
}

/** Whether a rewind returned to a point before this position, and no later one restored it. */
export function isSuperseded(spans: readonly CountingSpan[], place: number): boolean {
  return !spans.some(({ after, upTo }) => place > after && place <= upTo);
}
