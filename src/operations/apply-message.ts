import { assertNever } from '../domain/assert-never.ts';
import type { Tx } from '../ledger/tx.ts';
import type { AofEnvelope } from '../protocols/aof/schema/messages.ts';
import { applyCompletionReport } from './apply-completion-report.ts';
import { applyHandoffAnswer } from './apply-handoff-answer.ts';
import { applyHandoffRequest } from './apply-handoff-request.ts';
import { applyStatusUpdate } from './apply-status-update.ts';
import type { Heard, MessageOutcome } from './message-outcome.ts';

/** The effect of a message that is heard. */
export function applyMessage(tx: Tx, message: AofEnvelope, heard: Heard): MessageOutcome {
  switch (message.type) {
    case 'completion.report':
      return applyCompletionReport(tx, message, heard);
    case 'status.update':
      return applyStatusUpdate(tx, message, heard);
    case 'handoff.request':
      return applyHandoffRequest(tx, message, heard);
    case 'handoff.accepted':
    case 'handoff.rejected':
      return applyHandoffAnswer(tx, message, heard);
    default:
      return assertNever(message);
  }
}
