import { IDEMPOTENCY_KEPT_MS } from '../domain/limits.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { deleteAnswersBefore } from '../ledger/statements/answers.ts';
import { selectMeta, upsertMeta } from '../ledger/statements/meta.ts';

/** What every opener does first: the ledger knows its project, and old answers are let go. */
export const prepareLedger: Command<object, { readonly project: string }> = (tx) => {
  const known = selectMeta(tx, 'project');
  const project = known ?? `prj_${tx.moment.ids.ulid()}`;
  if (known === null) upsertMeta(tx, 'project', project);
  deleteAnswersBefore(tx, tx.moment.now.wallMs - IDEMPOTENCY_KEPT_MS);
  return { project };
};
