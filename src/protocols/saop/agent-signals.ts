import type { ToolSignal } from '../../domain/agent/agent-signal.ts';
import type { EventPayload } from './schema.ts';

/** SAOP §2: the tool call that an event reports; null for other events. */
export function decodeTool(payload: EventPayload): ToolSignal | null {
  switch (payload.type) {
    case 'TOOL_LIFECYCLE_INVOKED': {
      const input = JSON.stringify(payload.arguments);
      return { kind: 'tool', state: 'begun', id: payload.call_id, name: payload.tool, input };
    }
    case 'TOOL_LIFECYCLE_COMPLETED': {
      const { call_id: id, tool: name, status } = payload;
      return { kind: 'tool', state: 'ended', id, name, result: status, isSuccess: status === 'success' };
    }
    default:
      return null;
  }
}
