import type { AgentRole } from '../domain/agent.ts';
import { DISPATCHER } from '../domain/decisions/decide-sender.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { type MarkedRun, selectOpenMarks, subjectOf } from '../ledger/statements/trace-marks.ts';
import type { Tx } from '../ledger/tx.ts';
import { writeMade } from './write-trace.ts';

/** Ends what a run began and did not end: a tool that never returned is a timeout, a thought gets its last chunk. */
export function closeTrace(tx: Tx, run: MarkedRun): readonly LedgerEvent[] {
  const open = selectOpenMarks(tx, run);
  const task = open.length === 0 ? null : selectTask(tx, run.taskId);
  if (task === null) return [];
  return open.map(({ subject, detail, at }) => {
    const { role, tool } = JSON.parse(detail) as { readonly role: AgentRole; readonly tool: string };
    const { turnIndex, callId } = subjectOf(subject);
    const durationMs = Math.max(0, tx.moment.now.wallMs - at);
    const made =
      turnIndex === null
        ? ({ kind: 'timeout', callId, tool, durationMs } as const)
        : ({ kind: 'thought', turnIndex, role, chunk: '', isFinal: true } as const);
    return writeMade(tx, task, { ...run, actor: DISPATCHER, made });
  });
}
