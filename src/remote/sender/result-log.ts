import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ENTRY_MARK, logFile } from '../../dispatch/attempt/run-log.ts';
import { RESULT_LOG_BYTES_MAX } from '../../domain/federation/federation-limits.ts';
import { STORY_KINDS, type StoryEntry } from '../../domain/trace/story-entry.ts';
import {
  boundedText,
  instantMs,
  integer,
  number,
  object,
  optionalField,
  orNull,
  readShape,
  trueOrFalse,
  word,
} from '../../domain/words/shape.ts';
import { writeDurably } from '../../platform/files/durable-files.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';

export const LOGS = ['output.log', 'raw.log'] as const;
type LogName = (typeof LOGS)[number];

const LINE_FEED = 10;

/** The end of a log, in whole lines; empty where there is none. */
export function logEnd(dataFolder: string, task: string, name: LogName): Buffer {
  const file = logFile(dataFolder, task, name);
  const whole = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  if (whole.length <= RESULT_LOG_BYTES_MAX) return whole;
  const end = whole.subarray(-RESULT_LOG_BYTES_MAX);
  return end.subarray(end.indexOf(LINE_FEED) + 1);
}

export interface ResultLog {
  readonly task: string;
  readonly name: LogName;
  readonly bytes: Buffer;
  /** The last run there, and the run and its agent here. */
  readonly theirRun: string;
  readonly run: string;
  readonly agent: string;
}

/**
 * Adds the log of a run on another node to that of its task here. Done again, it replaces what it added: nothing else is
 * written to the log of a task that waits for another node.
 */
export async function writeResultLog(dataFolder: string, log: ResultLog): Promise<void> {
  const file = logFile(dataFolder, log.task, log.name);
  makeFoldersIn(dataFolder, dirname(file));
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const begin = beginOf(log);
  const at = before.indexOf(begin);
  const own = at === -1 ? before : before.slice(0, at);
  const theirs = log.name === 'raw.log' ? log.bytes.toString('utf8').replaceAll(ENTRY_MARK, '') : storyOf(log);
  await writeDurably(file, `${own}${begin}${theirs}`);
}

/** The line before what another node sent. */
function beginOf({ name, run }: ResultLog): string {
  const words = 'what follows was done on another node';
  const entry = { kind: 'note', id: run, text: words } satisfies Partial<StoryEntry>;
  return name === 'raw.log' ? `--- ${run}: ${words}\n` : `${ENTRY_MARK}${JSON.stringify(entry)}\n`;
}

/** A log of somebody else: an entry that is not one of a story is text, and names its run by the name that it has here. */
function storyOf({ bytes, theirRun, run, agent }: ResultLog): string {
  const lines = bytes.toString('utf8').split('\n');
  const read = lines.map((line) => {
    const entry = line.startsWith(ENTRY_MARK) ? entryIn(line.slice(ENTRY_MARK.length)) : null;
    if (entry === null) return line.replaceAll(ENTRY_MARK, '');
    const named = entry.kind === 'run' && entry.id === theirRun ? { ...entry, id: run, name: agent } : entry;
    return `${ENTRY_MARK}${JSON.stringify(named)}`;
  });
  return read.join('\n');
}

const ENTRY_UNITS_MAX = 1_000_000;

const storyEntry = object<Pick<StoryEntry, 'kind'> & Partial<StoryEntry>>({
  kind: word(STORY_KINDS),
  at: optionalField(orNull(instantMs)),
  text: optionalField(boundedText(ENTRY_UNITS_MAX)),
  id: optionalField(orNull(boundedText(1_000))),
  name: optionalField(orNull(boundedText(1_000))),
  isSuccess: optionalField(orNull(trueOrFalse)),
  exitCode: optionalField(orNull(integer(-1_000_000))),
  durationMs: optionalField(orNull(number(0, 1e15))),
});

function entryIn(stored: string): (Pick<StoryEntry, 'kind'> & Partial<StoryEntry>) | null {
  try {
    const read = readShape(storyEntry, JSON.parse(stored));
    return read.kind === 'read' ? read.value : null;
  } catch {
    // Not JSON.
    return null;
  }
}
