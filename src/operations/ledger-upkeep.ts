import { IDEMPOTENCY_KEPT_MS } from '../domain/limits.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { deleteAnswersBefore } from '../ledger/statements/answers.ts';
import { deleteMeta, selectMeta, upsertMeta } from '../ledger/statements/meta.ts';

/** What every opener does first: the ledger knows its project, and old answers are let go. */
export const prepareLedger: Command<object, { readonly project: string }> = (tx) => {
  const known = selectMeta(tx, 'project');
  const project = known ?? `prj_${tx.moment.ids.ulid()}`;
  if (known === null) upsertMeta(tx, 'project', project);
  deleteAnswersBefore(tx, tx.moment.now.wallMs - IDEMPOTENCY_KEPT_MS);
  return { project };
};

/** Lets go of answers whose keys nobody will send again. */
export const forgetAnswers: Command<object, object> = (tx) => {
  deleteAnswersBefore(tx, tx.moment.now.wallMs - IDEMPOTENCY_KEPT_MS);
  return {};
};

/** Sets a mark, and tells what stood in its place. */
export const rememberMeta: Command<
  { readonly key: string; readonly value: string },
  { readonly before: string | null }
> = (tx, { key, value }) => {
  const before = selectMeta(tx, key);
  upsertMeta(tx, key, value);
  return { before };
};

/** Takes a mark away once what it asked for is done. */
export const forgetMeta: Command<{ readonly key: string }, object> = (tx, { key }) => {
  deleteMeta(tx, key);
  return {};
};
