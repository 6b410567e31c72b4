import { DISPATCHER, FILESYSTEM } from '../domain/decisions/decide-sender.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { selectMirrorFiles, touchTask, upsertMirrorFile } from '../ledger/statements/mirror-files.ts';
import { liveRunOf } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { receiveMessage } from '../operations/receive-message.ts';
import type { Judged } from './perform-judged.ts';
import type { RunReport } from './read-run-files.ts';

export interface RunResultFound {
  readonly taskId: TaskName;
  readonly path: string;
  readonly sha256: string;
  /** When the file was last changed, in milliseconds since 1970. */
  readonly changedAtMs: number;
  readonly report: RunReport;
  /** The summary and handoff files of the report that do not exist. */
  readonly missingFiles: readonly string[];
  readonly asideName: string;
}

/** A file of a run that is gone or was changed. */
export interface RunFileFound {
  readonly taskId: TaskName;
  readonly path: string;
  /** The new name of the changed file; null if the file is gone. */
  readonly asideName: string | null;
}

const NOTHING = { kind: 'judged', removals: [], asides: [], unreadable: [], events: [] } as const;

/** Accepts a valid run_result.json that an agent wrote itself as its completion.report (aof:own-result). */
export const takeRunResult: Command<RunResultFound, Judged> = (tx, found) => {
  const { taskId, path, sha256, report, missingFiles } = found;
  const rows = selectMirrorFiles(tx, taskId);
  const isOwn = rows.some((row) => row.sha256 === sha256 || row.nextSha256 === sha256);
  const task = selectTask(tx, taskId);
  if (isOwn || !task) return NOTHING;
  if ('errors' in report) return reject(tx, found, { reason: 'invalid_run_result', errors: report.errors });
  const run = liveRunOf(tx, task);
  // A file from before the start of this run is the result of an older one.
  if (run !== null && found.changedAtMs < run.startedAt) return reject(tx, found, { reason: 'stale_run' });
  const outcome = receiveMessage(tx, {
    message: report,
    warnings: [],
    channelRun: null,
    missingFiles,
  });
  if (isRefusal(outcome)) return { kind: 'later' };
  const isAccepted = outcome.events.some(({ type }) => type === 'task.completed');
  if (!isAccepted) return { ...setAside(found), events: outcome.events };
  const { revision } = selectTask(tx, taskId) ?? task;
  upsertMirrorFile(tx, { path, taskId, sha256, nextSha256: null, revision });
  touchTask(tx, taskId);
  return { ...NOTHING, events: outcome.events };
};

/** Sets the file aside; the log says why. */
function reject(tx: Tx, found: RunResultFound, payload: Readonly<Record<string, unknown>>): Judged {
  const { taskId, report } = found;
  const actor = 'errors' in report ? FILESYSTEM : report.fromAgent;
  const about = { type: 'completion.report', ...payload };
  const event = insertEvent(tx, { type: 'protocol.message.rejected', actor, taskId, payload: about });
  return { ...setAside(found), events: [event] };
}

function setAside({ path, asideName }: RunResultFound) {
  return { ...NOTHING, asides: [{ path, as: asideName }] };
}

/** Has the mirror write a file of a run again: nobody else may change it. */
export const restoreRunFile: Command<RunFileFound, Judged> = (tx, { taskId, path, asideName }) => {
  const task = selectTask(tx, taskId);
  const row = selectMirrorFiles(tx, taskId).find((each) => each.path === path);
  if (!task || !row || row.nextSha256 !== null) return { kind: 'later' };
  upsertMirrorFile(tx, { ...row, sha256: null });
  touchTask(tx, taskId);
  const payload = { path, reason: asideName === null ? 'missing' : 'changed', keptAs: asideName };
  const event = insertEvent(tx, { type: 'tree.file.restored', actor: DISPATCHER, taskId, payload });
  return { ...NOTHING, asides: asideName === null ? [] : [{ path, as: asideName }], events: [event] };
};
