import { TASK_NAME_INSIDE } from '../../domain/task/task.ts';

/** Kinds of AOF texts without a marker, chosen by file name or by the caller (common:kinds). */
const FILE_KINDS = ['run', 'run_heartbeat', 'run_result', 'handoff', 'task', 'event'] as const;

export type AofFileKind = (typeof FILE_KINDS)[number];

const EXACT_NAMES: ReadonlyMap<string, AofFileKind> = new Map([
  ['run.json', 'run'],
  ['run_heartbeat.json', 'run_heartbeat'],
  ['run_result.json', 'run_result'],
  ['handoff.json', 'handoff'],
]);
const TASK_FILE = new RegExp(`^${TASK_NAME_INSIDE.source}\\.md$`);
const EVENT_FILE = /^\d{4}-\d{2}-\d{2}\.jsonl$/;

/** Judges by the last component of the path only. */
export function aofKindOfFile(fileName: string): AofFileKind | null {
  const name = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1);
  if (TASK_FILE.test(name)) return 'task';
  if (EVENT_FILE.test(name)) return 'event';
  return EXACT_NAMES.get(name) ?? null;
}

export function isFileKind(kind: string | undefined): kind is AofFileKind {
  return (FILE_KINDS as readonly (string | undefined)[]).includes(kind);
}
