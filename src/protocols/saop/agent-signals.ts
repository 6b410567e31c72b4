import type { AgentSignal, ToolSignal } from '../../domain/agent-signal.ts';
import { decodeSaopValue } from './decode.ts';
import type { EventPayload, SaopEvent, SaopMessage, TurnEnvelope } from './schema.ts';

/** SAOP §1, §2: the kernel signals of a turn or an event; none where the value is not one. `text` is how it was printed. */
export function decodeTurnOrEvent(value: unknown, text: string): readonly AgentSignal[] {
  const verdict = decodeSaopValue(value);
  if (verdict.verdict !== 'accepted') return [];
  const { message } = verdict;
  return isEvent(message) ? [{ kind: 'message', text }, ...decodeTool(message.payload)] : [decodeTurn(message, text)];
}

function isEvent(message: SaopMessage): message is SaopEvent {
  return 'event_id' in message && 'payload' in message;
}

function decodeTurn({ turn_index: index, content, metadata }: TurnEnvelope, text: string): AgentSignal {
  const { thought, action, observation } = content;
  return { kind: 'turn', turn: { index, thought, action, observation, confidence: metadata.confidence, text } };
}

function decodeTool(payload: EventPayload): readonly ToolSignal[] {
  switch (payload.type) {
    case 'TOOL_LIFECYCLE_INVOKED': {
      const input = JSON.stringify(payload.arguments);
      return [{ kind: 'tool', state: 'begun', id: payload.call_id, name: payload.tool, input }];
    }
    case 'TOOL_LIFECYCLE_COMPLETED': {
      const { call_id: id, tool: name, status } = payload;
      return [{ kind: 'tool', state: 'ended', id, name, result: status, isSuccess: status === 'success' }];
    }
    default:
      return [];
  }
}
