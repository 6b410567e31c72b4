import * as fs from 'node:fs';
import { join } from 'node:path';
import type { CompletionMessage } from '../domain/agent-message.ts';
import { AOF_MESSAGE_BYTES_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task.ts';
import type { RunTraces } from '../operations/restore-task.ts';
import { decodeAof } from '../protocols/aof/decode.ts';
import type { RunResult } from '../protocols/aof/schema/files.ts';
import { isJsonObject, readJson } from '../protocols/json-text.ts';
import { runPath } from '../tree/tree-paths.ts';
import { readTreeFile } from './read-tree-file.ts';

/** The completion.report that a run_result.json stands for, or its errors. */
export type RunReport =
  | CompletionMessage
  | { readonly errors: readonly { readonly path: string; readonly message: string }[] };

export function readRunReport(bytes: Buffer, taskId: TaskName): RunReport {
  const verdict = decodeAof(bytes.toString('utf8'), { kind: 'run_result' });
  if (verdict.verdict !== 'accepted') return { errors: verdict.verdict === 'malformed' ? verdict.errors : [] };
  if (verdict.kind !== 'run_result') return { errors: [{ path: '', message: 'the message is no run_result' }] };
  const result = verdict.message as RunResult;
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
  };
}

export function readRunTraces(root: string, task: TaskName): RunTraces {
  const folder = join(root, 'runs', task);
  if (!fs.existsSync(folder)) return { fence: 0, outcome: null };
  const attempts = join(folder, 'attempts');
  const fences = fs.existsSync(attempts) ? fs.readdirSync(attempts).map(Number).filter(Number.isSafeInteger) : [];
  const result = bytesAt(root, runPath(task, 'run_result.json', null));
  const report = result && readRunReport(result, task);
  return {
    fence: Math.max(0, fenceOf(bytesAt(root, runPath(task, 'run.json', null))), ...fences),
    outcome: report && !('errors' in report) ? report.result.outcome : null,
  };
}

function fenceOf(bytes: Buffer | null): number {
  const value = bytes === null ? null : readJson(bytes.toString('utf8')).value;
  const metadata = isJsonObject(value) ? value.metadata : null;
  const fence = isJsonObject(metadata) ? metadata.fence : null;
  return Number.isSafeInteger(fence) ? (fence as number) : 0;
}

function bytesAt(root: string, path: string): Buffer | null {
  const reading = readTreeFile({ root, path, bytesMax: AOF_MESSAGE_BYTES_MAX });
  return reading.kind === 'file' ? reading.bytes : null;
}
