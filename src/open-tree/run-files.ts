import { AOF_MESSAGE_BYTES_MAX, TREE_QUIET_MS, TREE_UNREADABLE_MS } from '../domain/limits.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { CompletionMessage } from '../domain/task/agent-message.ts';
import { DISPATCHER, FILESYSTEM } from '../domain/task/decide-sender.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { isMirrored, selectMirrorFiles, touchTask, upsertMirrorFile } from '../ledger/statements/mirror-files.ts';
import { liveRunOf } from '../ledger/statements/runs.ts';
import { hasTask, selectTask } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { receiveMessage } from '../operations/message/receive-message.ts';
import { decodeAof } from '../protocols/aof/decode.ts';
import type { AofRunResult } from '../protocols/aof/schema/files.ts';
import { findMissingFiles } from '../tree/find-missing-files.ts';
import { rejectedNames } from '../tree/tree-files.ts';
import { taskOf } from '../tree/tree-paths.ts';
import { performJudged, type TreeVerdict } from './perform-judged.ts';
import { type FileReading, readTreeFile } from './read-tree-file.ts';
import type { ReconcileParts, ReconcileState } from './reconcile-parts.ts';

/** Restores a changed file of a run, or accepts a result that an agent wrote itself (aof:own-result). */
export async function checkRunFile(path: string, parts: ReconcileParts): Promise<ReconcileState> {
  const { root, read, seen } = parts;
  const task = taskOf(path);
  if (task === null || !hasTask(read, task)) return 'done';
  const rows = selectMirrorFiles(read, task);
  const reading = readTreeFile({ root, path, bytesMax: AOF_MESSAGE_BYTES_MAX });
  if (reading.kind === 'file' && rows.some((row) => [row.sha256, row.nextSha256].includes(reading.sha256))) {
    seen.remember(path, reading.stamp);
    return 'done';
  }
  const row = rows.find((each) => each.path === path);
  if (reading.kind === 'file' && path.endsWith('/run_result.json')) return await report(path, task, { reading, parts });
  if (row === undefined || (row.sha256 === null && row.nextSha256 === null)) return 'done';
  if (row.nextSha256 !== null || !isMirrored(read, task)) return 'later';
  const asideName = reading.kind === 'absent' ? null : (rejectedNames(root, path, 1)[0] ?? null);
  const restored = await parts.ledger.submit(restoreRunFile, { taskId: task, path, asideName });
  return await performJudged(restored, task, parts);
}

interface ReadRunFile {
  readonly reading: Extract<FileReading, { kind: 'file' }>;
  readonly parts: ReconcileParts;
}

async function report(path: string, taskId: TaskName, { reading, parts }: ReadRunFile): Promise<ReconcileState> {
  const { sha256, stamp } = reading;
  const said = readRunReport(reading.bytes, taskId);
  const quietMs = 'errors' in said ? TREE_UNREADABLE_MS : TREE_QUIET_MS;
  if (!parts.unsettled.hasSettled({ path, sha256, stamp, quietMs })) return 'unsettled';
  const asideName = rejectedNames(parts.root, path, 1)[0] ?? path;
  const missingFiles =
    'errors' in said ? [] : findMissingFiles(parts.ledger, parts.root, { taskId, summaryRef: said.result.summaryRef });
  const found = { taskId, path, sha256, changedAtMs: stamp.ctimeMs, report: said, missingFiles, asideName };
  return await performJudged(await parts.ledger.submit(takeRunResult, found), taskId, parts);
}

interface RunResultFound {
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
interface RunFileFound {
  readonly taskId: TaskName;
  readonly path: string;
  /** The new name of the changed file; null if the file is gone. */
  readonly asideName: string | null;
}

const NOTHING = { kind: 'judged', removals: [], asides: [], unreadable: [], events: [] } as const;

/** Accepts a valid run_result.json that an agent wrote itself as its completion.report (aof:own-result). */
const takeRunResult: Command<RunResultFound, TreeVerdict> = (tx, found) => {
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
function reject(tx: Tx, found: RunResultFound, payload: Readonly<Record<string, unknown>>): TreeVerdict {
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
const restoreRunFile: Command<RunFileFound, TreeVerdict> = (tx, { taskId, path, asideName }) => {
  const task = selectTask(tx, taskId);
  const row = selectMirrorFiles(tx, taskId).find((each) => each.path === path);
  if (!task || !row || row.nextSha256 !== null) return { kind: 'later' };
  upsertMirrorFile(tx, { ...row, sha256: null });
  touchTask(tx, taskId);
  const payload = { path, reason: asideName === null ? 'missing' : 'changed', keptAs: asideName };
  const event = insertEvent(tx, { type: 'tree.file.restored', actor: DISPATCHER, taskId, payload });
  return { ...NOTHING, asides: asideName === null ? [] : [{ path, as: asideName }], events: [event] };
};

/** The completion.report that a run_result.json stands for, or its errors. */
type RunReport =
  | CompletionMessage
  | { readonly errors: readonly { readonly path: string; readonly message: string }[] };

export function readRunReport(bytes: Buffer, taskId: TaskName): RunReport {
  const verdict = decodeAof(bytes.toString('utf8'), { kind: 'run_result' });
  if (verdict.verdict !== 'accepted') return { errors: verdict.verdict === 'malformed' ? verdict.errors : [] };
  if (verdict.kind !== 'run_result') return { errors: [{ path: '', message: 'the message is no run_result' }] };
  const result = verdict.message as AofRunResult;
  if (result.taskId !== taskId) return { errors: [{ path: '/taskId', message: `taskId: must be ${taskId}` }] };
  const { agentId, outcome, summaryRef, deliverables = [], tests, blockers = [], notes } = result;
  return {
    kind: 'completion',
    type: 'completion.report',
    taskId,
    fromAgent: agentId,
    toAgent: 'dispatcher',
    projectId: null,
    result: { outcome, summaryRef, deliverables, tests, blockers, notes },
    summaryPath: '/summaryRef',
  };
}
