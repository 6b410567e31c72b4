import * as fs from 'node:fs';
import { join } from 'node:path';
import { AOF_MESSAGE_BYTES_MAX } from '../domain/limits.ts';
import type { CompletionOutcome } from '../domain/resolve-completion.ts';
import type { TaskName } from '../domain/task.ts';
import { isJsonObject, readJson } from '../protocols/json-text.ts';
import { readRunReport } from './read-run-report.ts';
import { readTreeFile } from './read-tree-file.ts';
import { runPath } from './tree-paths.ts';

/** What the files of a task's runs still tell. */
export interface RunTraces {
  /** The highest fence there was: the next lease has a higher one. */
  readonly fence: number;
  /** How the newest run said it went; null where it did not. */
  readonly outcome: CompletionOutcome | null;
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
    outcome: report && !('errors' in report) ? report.payload.outcome : null,
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
