import { replay } from '../../domain/execution/execution.ts';
import { decideResume } from '../../domain/order/decide-resume.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import type { Question } from '../../domain/task/question.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { selectFacts } from '../../ledger/statements/run-facts.ts';
import { updateTaskDue } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { transition } from '../task/transition.ts';
import { orderOf, writeFact } from './open-order.ts';

const REASON = 'a person said yes';

/** Applies the answer to a question between two runs of an order. */
export function resumeOrder(tx: Tx, { taskId, kind }: Question, option: string): readonly LedgerEvent[] {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return [];
  const facts = selectFacts(tx, found.order);
  const [ordered] = facts;
  const execution = replay(facts);
  const { budget } = ordered?.kind === 'ordered' ? ordered.order : execution.order;
  const about = { execution, firstCapUsd: budget.costUsdMax, nowMs: tx.moment.now.wallMs };
  const decided = decideResume({ kind, option, ...about });
  if (decided.kind === 'stop') return [writeFact(tx, found, { kind: 'stop-requested', by: OPERATOR })];
  if (found.task.status !== 'blocked') return [];
  const { kind: _, ...next } = decided;
  const fact = writeFact(tx, found, { kind: 'requeued', reason: REASON, ...next });
  const moved = transition(tx, found.task, { to: 'ready', actor: OPERATOR, reason: REASON });
  updateTaskDue(tx, moved.task, next.dueAt);
  return [fact, ...moved.events];
}
