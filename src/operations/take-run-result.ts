import { FILESYSTEM } from '../domain/decisions/decide-sender.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { selectMirrorFiles, touchTask, upsertMirrorFile } from '../ledger/statements/mirror-files.ts';
import { liveRunOf } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import type { Judged, RunFileFound, RunResultFound } from '../tree/tree-commands.ts';
import { receiveMessage } from './receive-message.ts';
import { DISPATCHER } from './tree-troubles.ts';

const NOTHING = { kind: 'judged', removals: [], asides: [], unreadable: [], events: [] } as const;

/** D-A10: a valid run_result.json that an agent writes itself is its completion.report. */
export const takeRunResult: Command<RunResultFound, Judged> = (tx, found) => {
  const { taskId, path, sha256, report } = found;
  const rows = selectMirrorFiles(tx, taskId);
  const isOwn = rows.some((row) => row.sha256 === sha256 || row.nextSha256 === sha256);
  const task = selectTask(tx, taskId);
  if (isOwn || !task) return NOTHING;
  if ('errors' in report) return aside(found, [logInvalid(tx, found, report.errors)]);
  const run = liveRunOf(tx, task);
  // Written before this run began, it is the word of an older one (P-X2).
  if (run !== null && found.changedAtMs < run.startedAt) return aside(found, [logRejected(tx, found, 'stale_run')]);
  const outcome = receiveMessage(tx, { message: report, warnings: [], channelRun: null });
  if (isRefusal(outcome)) return { kind: 'later' };
  const isTaken = outcome.events.some(({ type }) => type === 'task.completed');
  if (!isTaken) return aside(found, outcome.events);
  const { revision } = selectTask(tx, taskId) ?? task;
  upsertMirrorFile(tx, { path, taskId, sha256, nextSha256: null, revision });
  touchTask(tx, taskId);
  return { ...NOTHING, events: outcome.events };
};

function aside({ path, keepAs }: RunResultFound, events: readonly LedgerEvent[]): Judged {
  return { ...NOTHING, asides: [{ path, as: keepAs }], events };
}

function logInvalid(tx: Tx, { taskId }: RunResultFound, errors: readonly object[]): LedgerEvent {
  const payload = { type: 'completion.report', reason: 'invalid_run_result', errors };
  return insertEvent(tx, { type: 'protocol.message.rejected', actor: FILESYSTEM, taskId, payload });
}

function logRejected(tx: Tx, { taskId, report }: RunResultFound, reason: string): LedgerEvent {
  const actor = 'errors' in report ? FILESYSTEM : report.fromAgent;
  const payload = { type: 'completion.report', reason };
  return insertEvent(tx, { type: 'protocol.message.rejected', actor, taskId, payload });
}

/** Files of a run are Baton's alone: what is gone or changed is put back. */
export const restoreRunFile: Command<RunFileFound, Judged> = (tx, { taskId, path, keepAs }) => {
  const task = selectTask(tx, taskId);
  const row = selectMirrorFiles(tx, taskId).find((each) => each.path === path);
  if (!task || !row || row.nextSha256 !== null) return { kind: 'later' };
  upsertMirrorFile(tx, { ...row, sha256: null });
  touchTask(tx, taskId);
  const payload = { path, reason: keepAs === null ? 'missing' : 'changed', keptAs: keepAs };
  const event = insertEvent(tx, { type: 'tree.file.restored', actor: DISPATCHER, taskId, payload });
  return { ...NOTHING, asides: keepAs === null ? [] : [{ path, as: keepAs }], events: [event] };
};
