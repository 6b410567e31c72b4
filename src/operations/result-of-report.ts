import { OPERATOR } from '../domain/decisions/decide-sender.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { Now } from '../domain/now.ts';
import type { RunResult } from '../domain/run.ts';
import type { Task } from '../domain/task.ts';
import type { Tx } from '../ledger/tx.ts';
import type { CompletionReport } from '../protocols/aof/schema/messages.ts';
import { logged } from './message-outcome.ts';

/** What a report says of the work, as the run keeps it. The time is Baton's: a sender's clock is not believed. */
export function resultOf({ payload, fromAgent }: CompletionReport, now: Now): RunResult {
  return {
    outcome: payload.outcome,
    summaryRef: payload.summaryRef,
    deliverables: payload.deliverables ?? [],
    tests: payload.tests,
    blockers: payload.blockers ?? [],
    notes: payload.notes,
    completedAt: now.wallMs,
    agent: fromAgent,
  };
}

/** D-A7: it is heard all the same. */
export function noteMissing(tx: Tx, message: CompletionReport, file: string): LedgerEvent {
  const sentence = `there is no file ${JSON.stringify(file)} in the folder of ${message.taskId}`;
  const about = {
    type: message.type,
    reason: 'summary_file_not_found',
    path: '/payload/summaryRef',
    message: sentence,
  };
  return logged(tx, message, { type: 'protocol.message.warning', payload: about });
}

/** Whose work a report is about: an operator speaks for the agent the task is routed to. */
export function workerOf({ fromAgent }: CompletionReport, { routing }: Task): string {
  return fromAgent === OPERATOR ? (routing.agent ?? OPERATOR) : fromAgent;
}
