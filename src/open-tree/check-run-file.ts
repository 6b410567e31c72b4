import { AOF_MESSAGE_BYTES_MAX, TREE_QUIET_MS, TREE_UNREADABLE_MS } from '../domain/limits.ts';
import type { TaskName } from '../domain/task.ts';
import { isMirrored, selectMirrorFiles } from '../ledger/statements/mirror-files.ts';
import { hasTask } from '../ledger/statements/tasks.ts';
import { findMissingFiles } from '../tree/find-missing-files.ts';
import { rejectedNames } from '../tree/tree-files.ts';
import { taskOf } from '../tree/tree-paths.ts';
import type { CheckResult, ReconcileParts } from './open-tree-parts.ts';
import { performJudged } from './perform-judged.ts';
import { readRunReport } from './read-run-files.ts';
import { type FileReading, readTreeFile } from './read-tree-file.ts';
import { restoreRunFile, takeRunResult } from './take-run-result.ts';

/** Restores a changed file of a run, or accepts a result that an agent wrote itself (aof:own-result). */
export async function checkRunFile(path: string, parts: ReconcileParts): Promise<CheckResult> {
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

interface Read {
  readonly reading: Extract<FileReading, { kind: 'file' }>;
  readonly parts: ReconcileParts;
}

async function report(path: string, taskId: TaskName, { reading, parts }: Read): Promise<CheckResult> {
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
