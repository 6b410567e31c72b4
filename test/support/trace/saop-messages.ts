import { randomUUID } from 'node:crypto';
import type { EventPayload, SaopEvent, TurnEnvelope } from '../../../src/protocols/saop/schema.ts';

const AT = '2026-02-09T21:00:00.000Z';

/** The text of a turn; `content` and `metadata` replace parts of it. */
export function turnText(
  taskId: string,
  index: number,
  { confidence = 0.9, ...content }: Partial<TurnEnvelope['content']> & { readonly confidence?: number } = {},
): string {
  const turn: TurnEnvelope = {
    turn_index: index,
    agent_id: 'developer',
    role: 'developer',
    content: {
      thought: `thought ${index}`,
      action: `action ${index}`,
      observation: `observation ${index}`,
      ...content,
    },
    metadata: { version: '1.0.0', task_id: taskId, timestamp: AT, confidence, estimated_complexity: 'low' },
  };
  return JSON.stringify(turn);
}

/** The text of an event with a new id. */
export function eventText(payload: EventPayload, sessionId = 'S-1'): string {
  const event: SaopEvent = { event_id: randomUUID(), session_id: sessionId, payload };
  return JSON.stringify(event);
}

export function chunkText(turnIndex: number, chunk: string, isFinal = false): string {
  return eventText({ type: 'THOUGHT_STREAM', agent_id: 'developer', turn_index: turnIndex, chunk, is_final: isFinal });
}

export function invokedText(callId: string, tool = 'shell'): string {
  return eventText({ type: 'TOOL_LIFECYCLE_INVOKED', call_id: callId, tool, arguments: {}, timestamp: AT });
}

export function completedText(callId: string, status: 'success' | 'failure' = 'success', durationMs = 5): string {
  const call = { call_id: callId, tool: 'shell', status, duration_ms: durationMs, timestamp: AT };
  return eventText({ type: 'TOOL_LIFECYCLE_COMPLETED', ...call });
}
