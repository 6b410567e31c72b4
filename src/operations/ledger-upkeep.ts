import { IDEMPOTENCY_KEPT_MS } from '../domain/limits.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { deleteAnswersBefore } from '../ledger/statements/answers.ts';
import { deleteMeta, selectMeta, upsertMeta } from '../ledger/statements/meta.ts';

/** Prepares a ledger after it was opened: gives it a project id once, and deletes expired answers. */
export const prepareLedger: Command<object, { readonly project: string }> = (tx) => {
  const known = selectMeta(tx, 'project');
  const project = known ?? `prj_${tx.moment.ids.ulid()}`;
  if (known === null) upsertMeta(tx, 'project', project);
  deleteAnswersBefore(tx, tx.moment.now.wallMs - IDEMPOTENCY_KEPT_MS);
  return { project };
};

/** Deletes answers whose keys have expired. */
export const forgetAnswers: Command<object, object> = (tx) => {
  deleteAnswersBefore(tx, tx.moment.now.wallMs - IDEMPOTENCY_KEPT_MS);
  return {};
};

/** Sets a mark, and returns its earlier value. */
export const rememberMeta: Command<
  { readonly key: string; readonly value: string },
  { readonly before: string | null }
> = (tx, { key, value }) => {
  const before = selectMeta(tx, key);
  upsertMeta(tx, key, value);
  return { before };
};

/** Removes a mark. */
export const forgetMeta: Command<{ readonly key: string }, object> = (tx, { key }) => {
  deleteMeta(tx, key);
  return {};
};
