import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { MIB } from '../domain/limits.ts';
import { DAYS_REMEMBERED_MAX, lastGoodRecord } from './event-log.ts';
import { EVENTS_FOLDER, isTaskName } from './tree-paths.ts';

/** Events that were acknowledged and written to the tree, and are not in the ledger. */
export interface LostEvents {
  readonly from: number;
  readonly to: number;
  /** The tasks that they are about, in their order. */
  readonly tasks: readonly string[];
}

/**
 * The highest number of any event in the tree; 0 if there is none. The ledger is synced before the tree is written, so
 * a higher number than the ledger's own proves that the ledger has lost events. It reads the ends of the newest files.
 */
export function highestEventInTree(root: string): number {
  return Math.max(0, ...eventFiles(root).map((name) => lastSeqOf(join(root, EVENTS_FOLDER, name))));
}

/** Null if the ledger has every event of the tree. `ledgerSeq`: the number of its last event. */
export function findLostEvents(root: string, ledgerSeq: number): LostEvents | null {
  const to = highestEventInTree(root);
  if (to <= ledgerSeq) return null;
  const tasks = new Set<string>();
  for (const name of eventFiles(root).toReversed()) {
    for (const line of endOf(join(root, EVENTS_FOLDER, name)).split('\n')) {
      const { eventId, taskId } = eventOf(line);
      if (Number(eventId) > ledgerSeq && typeof taskId === 'string' && isTaskName(taskId)) tasks.add(taskId);
    }
  }
  return { from: ledgerSeq + 1, to, tasks: [...tasks] };
}

const TASKS_NAMED_MAX = 10;
const LOST_READ_BYTES_MAX = 16 * MIB;

/** One sentence: which events are missing, and which tasks they are about. */
export function describeLoss({ from, to, tasks }: LostEvents): string {
  const events = from === to ? `event ${from} is` : `events ${from} to ${to} are`;
  const more = tasks.length > TASKS_NAMED_MAX ? ` and ${tasks.length - TASKS_NAMED_MAX} more` : '';
  const about = tasks.length === 0 ? '' : ` (of ${tasks.slice(0, TASKS_NAMED_MAX).join(', ')}${more})`;
  return `${events} in the files of the tree, but not in the ledger${about}`;
}

/** Newest first. */
function eventFiles(root: string): string[] {
  const folder = join(root, EVENTS_FOLDER);
  if (!existsSync(folder)) return [];
  const days = readdirSync(folder).filter((name) => /^\d{4}-\d{2}-\d{2}\.jsonl$/.test(name));
  return days.sort().reverse().slice(0, DAYS_REMEMBERED_MAX);
}

function lastSeqOf(file: string): number {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    // Removed meanwhile, a link, or not readable: the mirror reports it.
    return 0;
  }
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() ? lastGoodRecord(descriptor, stat.size, file).seq : 0;
  } finally {
    closeSync(descriptor);
  }
}

/** The lost events are the last of their file; of very many, the last ones are named. */
function endOf(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { size } = fstatSync(descriptor);
    const end = Buffer.alloc(Math.min(size, LOST_READ_BYTES_MAX));
    readSync(descriptor, end, 0, end.length, size - end.length);
    return end.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}

function eventOf(line: string): { readonly eventId?: unknown; readonly taskId?: unknown } {
  try {
    return Object(JSON.parse(line)) as { eventId?: unknown; taskId?: unknown };
  } catch {
    // A torn line.
    return {};
  }
}
