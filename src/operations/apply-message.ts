import type { AgentMessage } from '../domain/agent-message.ts';
import { assertNever } from '../domain/assert-never.ts';
import type { Tx } from '../ledger/tx.ts';
import { applyCompletion } from './apply-completion-report.ts';
import { applyHandoffAnswer } from './apply-handoff-answer.ts';
import { applyHandoffRequest } from './apply-handoff-request.ts';
import { applyStatusUpdate } from './apply-status-update.ts';
import type { MessageOutcome, MessageSubject } from './message-outcome.ts';

/** Applies a message whose sender may speak of its task. */
export function applyMessage(tx: Tx, message: AgentMessage, subject: MessageSubject): MessageOutcome {
  switch (message.kind) {
    case 'completion':
      return applyCompletion(tx, message, subject);
    case 'status':
      return applyStatusUpdate(tx, message, subject);
    case 'handoff':
      return applyHandoffRequest(tx, message, subject);
    case 'handoff-answer':
      return applyHandoffAnswer(tx, message, subject);
    default:
      return assertNever(message);
  }
}
