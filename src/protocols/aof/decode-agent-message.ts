import { assertNever } from '../../domain/assert-never.ts';
import type { AgentMessage } from '../../domain/task/agent-message.ts';
import type { AofEnvelope } from './schema/messages.ts';
import { transitionReason, workLogEntry } from './work-log-entry.ts';

/** An AOF/1 message in kernel terms. */
export function decodeAgentMessage(message: AofEnvelope): AgentMessage {
  const { type, taskId, fromAgent, toAgent, projectId = null } = message;
  const route = { type, taskId, fromAgent, toAgent, projectId };
  switch (message.type) {
    case 'completion.report': {
      const { outcome, summaryRef, deliverables = [], tests, blockers = [], notes } = message.payload;
      return {
        ...route,
        kind: 'completion',
        result: { outcome, summaryRef, deliverables, tests, blockers, notes },
        summaryPath: '/payload/summaryRef',
      };
    }
    case 'status.update': {
      const to = message.payload.status ?? null;
      const [reason, logEntry] = [transitionReason(message), workLogEntry(message)];
      return { ...route, kind: 'status', to, statusPath: '/payload/status', reason, logEntry, sentAt: message.sentAt };
    }
    case 'handoff.request': {
      const { payload } = message;
      const { parentTaskId, fromAgent: from, toAgent: to, dueBy } = payload;
      const handoff = { parentTaskId, fromAgent: from, toAgent: to, dueBy };
      return { ...route, kind: 'handoff', handoff, request: JSON.stringify(payload) };
    }
    case 'handoff.accepted':
      return { ...route, kind: 'handoff-answer', isAccepted: true, reason: null };
    case 'handoff.rejected':
      return { ...route, kind: 'handoff-answer', isAccepted: false, reason: message.payload.reason ?? null };
    default:
      return assertNever(message);
  }
}
