import { roundUsd } from '../domain/budget.ts';
import { OPERATOR } from '../domain/decisions/decide-sender.ts';
import { type Execution, replay, spentBy } from '../domain/execution/execution.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { Order } from '../domain/order.ts';
import type { Question } from '../domain/question.ts';
import { selectFacts } from '../ledger/statements/run-facts.ts';
import { updateTaskDue } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { orderOf, writeFact } from './open-order.ts';
import { transition } from './transition.ts';

/** The answer to a question between two runs of an order: yes goes on, with a higher cap or after the reset; no stops it. */
export function resumeOrder(tx: Tx, { taskId, kind }: Question, option: string): readonly LedgerEvent[] {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return [];
  if (option !== 'yes') return [writeFact(tx, found, { kind: 'stop-requested', by: OPERATOR })];
  if (found.task.status !== 'blocked') return [];
  const facts = selectFacts(tx, found.order);
  const [ordered] = facts;
  const execution = replay(facts);
  const first = ordered?.kind === 'ordered' ? ordered.order : execution.order;
  const dueAt = kind === 'quota' ? untilOf(execution) : tx.moment.now.wallMs;
  const last = execution.attempts.at(-1)?.end;
  const isDayOver = kind === 'budget' && last?.kind === 'failed' && last.cap === 'day';
  const raised = kind === 'budget' && !isDayOver ? raisedCap(execution, first) : null;
  const fact = writeFact(tx, found, {
    kind: 'requeued',
    alternative: execution.next?.alternative ?? null,
    dueAt,
    reason: 'a person said yes',
    ...(raised !== null && { costUsdMax: raised }),
    ...(isDayOver && { isDayCapLifted: true as const }),
  });
  const moved = transition(tx, found.task, { to: 'ready', actor: OPERATOR, reason: 'a person said yes' });
  updateTaskDue(tx, moved.task, dueAt);
  return [fact, ...moved.events];
}

/** The same amount once more, on top of what was spent. */
function raisedCap(execution: Execution, first: Order): number | null {
  const step = first.budget.costUsdMax;
  if (step === null) return null;
  return roundUsd(Math.max(execution.order.budget.costUsdMax ?? 0, spentBy(execution).costUsd) + step);
}

function untilOf({ attempts }: Execution): number {
  const end = attempts.at(-1)?.end;
  return end?.kind === 'out-of-quota' ? end.until : 0;
}
