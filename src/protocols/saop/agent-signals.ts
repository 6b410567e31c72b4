import type { AgentSignal, ToolSignal } from '../../domain/agent-signal.ts';
import { decodeSaopValue } from './decode.ts';
import type { EventPayload, SaopEvent, SaopMessage } from './schema.ts';

/**
 * SAOP §1, §2: a turn or an event is a message for the node, and a tool event reports the call too. There are no signals
 * where the value is neither. `text` is how it was printed.
 */
export function decodeTurnOrEvent(value: unknown, text: string): readonly AgentSignal[] {
  const verdict = decodeSaopValue(value);
  if (verdict.verdict !== 'accepted') return [];
  const { message } = verdict;
  return [{ kind: 'message', text }, ...(isEvent(message) ? decodeTool(message.payload) : [])];
}

function isEvent(message: SaopMessage): message is SaopEvent {
  return 'event_id' in message && 'payload' in message;
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
