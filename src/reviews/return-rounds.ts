import { FEEDBACK_ROUNDS_MAX, FEEDBACKS_SHOWN_MAX } from '../domain/limits.ts';
import type { PlacedFinding } from '../domain/review/exchange-fact.ts';
import { isByPerson, replayExchange } from '../domain/review/feedback-exchange.ts';
import { OPERATOR } from '../domain/task/decide-sender.ts';
import type { TaskName } from '../domain/task/task.ts';
import {
  insertExchangeFact,
  selectExchangeFacts,
  selectFeedbacksOf,
  updateFeedbackOpen,
} from '../ledger/statements/feedbacks.ts';
import type { Reader, Tx } from '../ledger/tx.ts';
import { type FoundExchange, openExchange, writeEnd, writeFixing } from './record-exchange.ts';

/**
 * The exchange in which a person returns the work of a task, round by round, until it is approved; null if the person has not
 * returned it, or has approved it since.
 */
export function readReturns(read: Reader, taskId: TaskName): FoundExchange | null {
  for (const id of selectFeedbacksOf(read, taskId, FEEDBACKS_SHOWN_MAX)) {
    const exchange = replayExchange(selectExchangeFacts(read, id));
    if (isByPerson(exchange)) return exchange.end === null ? { id, exchange } : null;
  }
  return null;
}

export interface NewReturn {
  readonly taskId: TaskName;
  readonly workspace: string;
  /** The agent that gets the work back. */
  readonly fixer: string | null;
  /** The person's points, each with the item that it is. */
  readonly found: readonly PlacedFinding[];
  /** The round of the order in which the agent deals with them. */
  readonly orderRound: number;
}

/** Writes a return as the next round of its exchange, in the transaction that begins the agent's round. */
export function writeReturnRound(tx: Tx, { taskId, workspace, fixer, found, orderRound }: NewReturn): { id: string } {
  const open = readReturns(tx, taskId);
  const id = open?.id ?? openReturns(tx, { taskId, workspace, fixer });
  const round = (open?.exchange.round ?? 0) + 1;
  const at = tx.moment.now.wallMs;
  insertExchangeFact(tx, id, { kind: 'answered', round, reviewer: OPERATOR, found, error: null, at });
  writeFixing(tx, { id, round, taskId, items: found.map(({ item }) => item), orderRound });
  updateFeedbackOpen(tx, id, true);
  return { id };
}

function openReturns(tx: Tx, { taskId, workspace, fixer }: Pick<NewReturn, 'taskId' | 'workspace' | 'fixer'>): string {
  const opened = openExchange(tx, {
    subject: { kind: 'task', taskId },
    workspace,
    reviewers: [OPERATOR],
    reviewerTerms: [],
    fixer,
    decider: 'fixer',
    roundsMax: FEEDBACK_ROUNDS_MAX,
    ask: null,
    checks: [],
    whenClean: null,
  });
  if (!('id' in opened)) throw new Error(`the returns of ${taskId} cannot be opened`);
  return opened.id;
}

/** The person accepts the work: no point is made again, so each is settled as its agent decided. */
export function endReturns(tx: Tx, taskId: TaskName): void {
  const open = readReturns(tx, taskId);
  if (open === null) return;
  const { id, exchange } = open;
  const round = exchange.round + 1;
  insertExchangeFact(tx, id, {
    ...{ kind: 'answered', round, reviewer: OPERATOR, found: [], error: null },
    at: tx.moment.now.wallMs,
  });
  writeEnd(tx, { id, taskId }, { why: 'nothing-left', message: null });
}
