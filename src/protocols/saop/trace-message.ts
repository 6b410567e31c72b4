import { maskSecrets } from '../../domain/secrets/mask-secrets.ts';
import { followingId } from '../../domain/trace/printed-lines.ts';
import type { MadeTrace, PrintedLine, TraceFact, TraceMessage } from '../../domain/trace/trace.ts';
import { TURN_KIND } from '../../domain/trace/trace.ts';
import { encodeSaop } from './encode.ts';
import type { EventPayload, SaopEvent, SaopMessage, TurnEnvelope } from './schema.ts';

/** The kernel's reading of a turn or an event; `text` is the message as it was sent. */
export function readTraceMessage(message: SaopMessage, text: string): TraceMessage {
  if (isTurn(message)) {
    const { turn_index: index, agent_id: role, content, metadata } = message;
    const { thought, observation } = content;
    const fact = { kind: 'turn', index, role, confidence: metadata.confidence, thought, observation } as const;
    return { eventId: null, type: TURN_KIND, envelope: text, fact };
  }
  const { event_id: eventId, payload } = message;
  return { eventId, type: payload.type, envelope: maskedPulse(message, text), fact: factOf(payload) };
}

/** SAOP §2: the secrets of terminal output are redacted before it is stored, and it says so. */
function maskedPulse(message: SaopEvent, text: string): string {
  const { payload } = message;
  if (payload.type !== 'SANDBOX_PULSE') return text;
  const line = maskSecrets(payload.line);
  return line === payload.line ? text : encodeSaop({ ...message, payload: { ...payload, line, masked: true } });
}

export function isTurn(message: SaopMessage): message is TurnEnvelope {
  return !('event_id' in message);
}

function factOf(payload: EventPayload): TraceFact {
  switch (payload.type) {
    case 'THOUGHT_STREAM': {
      const { agent_id: role, turn_index: turnIndex, chunk, is_final: isFinal } = payload;
      return { kind: 'thought', role, turnIndex, chunk, isFinal };
    }
    case 'TOOL_LIFECYCLE_INVOKED':
      return { kind: 'call', callId: payload.call_id, tool: payload.tool };
    case 'TOOL_LIFECYCLE_COMPLETED': {
      const { call_id: callId, tool, status } = payload;
      return { kind: 'return', callId, tool, isSuccess: status === 'success' };
    }
    default:
      return { kind: 'other' };
  }
}

/** An event as Baton sends it, with its reading. */
export function traceEvent(event: SaopEvent): TraceMessage {
  return readTraceMessage(event, encodeSaop(event));
}

/** The events that Baton adds where an agent left something open or did not stream it (saop:events). */
export function encodeMadeTrace(made: MadeTrace): TraceMessage {
  return traceEvent({ event_id: made.eventId, session_id: made.sessionId, payload: payloadOf(made) });
}

function payloadOf(made: MadeTrace): EventPayload {
  if (made.kind === 'thought') {
    const { role, turnIndex, chunk, isFinal } = made;
    return { type: 'THOUGHT_STREAM', agent_id: role, turn_index: turnIndex, chunk, is_final: isFinal };
  }
  if (made.kind === 'output') return pulseOf(made.line);
  const { callId, tool, durationMs, at } = made;
  return {
    type: 'TOOL_LIFECYCLE_COMPLETED',
    call_id: callId,
    tool,
    status: 'timeout',
    duration_ms: durationMs,
    timestamp: new Date(at).toISOString(),
  };
}

function pulseOf({ text, isMasked, at }: PrintedLine): Extract<EventPayload, { readonly type: 'SANDBOX_PULSE' }> {
  return { type: 'SANDBOX_PULSE', line: text, masked: isMasked, timestamp: new Date(at).toISOString() };
}

/** The event of a line of output that is recorded after the first of its record. */
export function encodeFollowing(
  first: Pick<SaopEvent, 'event_id' | 'session_id'>,
  { line, index }: { readonly line: PrintedLine; readonly index: number },
): SaopEvent {
  const { event_id: id, session_id: sessionId } = first;
  return { event_id: followingId(id, index), session_id: sessionId, payload: pulseOf(line) };
}
