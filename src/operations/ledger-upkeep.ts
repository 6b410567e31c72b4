import { AUDIT_KEPT_MS } from '../domain/external/external-limits.ts';
import { IDEMPOTENCY_KEPT_MS } from '../domain/limits.ts';
import type { Now } from '../domain/now.ts';
import { DISPATCHER } from '../domain/task/decide-sender.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { deleteAnswersBefore } from '../ledger/statements/answers.ts';
import { deleteAuditBefore } from '../ledger/statements/audit.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { deleteRefreshTokensBefore } from '../ledger/statements/external/enrolments.ts';
import { deleteInvitesBefore } from '../ledger/statements/external/invites.ts';
import { deleteMeta, selectMeta, upsertMeta } from '../ledger/statements/meta.ts';
import type { Tx } from '../ledger/tx.ts';

/** Prepares a ledger after it was opened: gives it a project id once, and deletes expired answers. */
export const prepareLedger: Command<object, { readonly project: string }> = (tx) => {
  const known = selectMeta(tx, 'project');
  const project = known ?? `prj_${tx.moment.ids.ulid()}`;
  if (known === null) upsertMeta(tx, 'project', project);
  deleteExpired(tx);
  return { project };
};

/** Deletes answers whose keys have expired, and old rows about external agents. */
export const forgetAnswers: Command<object, object> = (tx) => {
  deleteExpired(tx);
  return {};
};

/** The answers that a look found expired, and the instant of the look. */
interface ExpiredMark extends Now {
  readonly beforeMs: number;
}

const EXPIRED = 'answers_expired';
const LOOKS_APART_MS = 24 * 3_600_000;

/**
 * Deletes answers that two looks, a day apart, have both found expired. The day is counted by the monotonic clock: a
 * wall clock that jumps ahead and back forgets no key.
 */
function deleteExpired(tx: Tx): void {
  const { now } = tx.moment;
  const beforeMs = now.wallMs - IDEMPOTENCY_KEPT_MS;
  const mark = JSON.parse(selectMeta(tx, EXPIRED) ?? 'null') as ExpiredMark | null;
  const isDue = mark !== null && msSince(mark, now) >= LOOKS_APART_MS;
  if (isDue) {
    const keptFromMs = Math.min(mark.beforeMs, beforeMs);
    deleteAnswersBefore(tx, keptFromMs);
    forgetExternalCalls(tx, keptFromMs + IDEMPOTENCY_KEPT_MS);
  }
  if (mark === null || isDue || mark.beforeMs > beforeMs)
    upsertMeta(tx, EXPIRED, JSON.stringify({ beforeMs, ...now } satisfies ExpiredMark));
}

/** Rows about external agents that nobody asks for any more. */
function forgetExternalCalls(tx: Tx, nowMs: number): void {
  deleteAuditBefore(tx, nowMs - AUDIT_KEPT_MS);
  deleteInvitesBefore(tx, nowMs - AUDIT_KEPT_MS);
  deleteRefreshTokensBefore(tx, nowMs);
}

/** After a reboot only the wall clock is left. */
function msSince(then: Now, now: Now): number {
  return then.bootId === now.bootId ? now.monotonicMs - then.monotonicMs : now.wallMs - then.wallMs;
}

/** Records that the machine slept while this node ran. */
export const recordSleep: Command<{ readonly ms: number }, { readonly events: readonly LedgerEvent[] }> = (
  tx,
  { ms },
) => {
  const event = { type: 'machine.slept', actor: DISPATCHER, taskId: null, payload: { ms } } as const;
  return { events: [insertEvent(tx, event)] };
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
