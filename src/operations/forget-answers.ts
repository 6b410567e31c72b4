import { IDEMPOTENCY_KEPT_MS } from '../domain/limits.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { deleteAnswersBefore } from '../ledger/statements/answers.ts';

/** Lets go of answers whose keys nobody will send again. */
export const forgetAnswers: Command<object, object> = (tx) => {
  deleteAnswersBefore(tx, tx.moment.now.wallMs - IDEMPOTENCY_KEPT_MS);
  return {};
};
