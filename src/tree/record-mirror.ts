import { DISPATCHER } from '../domain/task/decide-sender.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { closeIncident, insertIncident, type NewIncident, selectOpenIncident } from '../ledger/statements/incidents.ts';
import { upsertMeta } from '../ledger/statements/meta.ts';
import {
  deleteMirrorBases,
  deleteMirrorFile,
  deleteUnmirrored,
  keepMirrorBase,
  type MirrorBase,
  type MirrorFile,
  settleMirrorFiles,
  upsertMirrorFile,
} from '../ledger/statements/mirror-files.ts';
import type { Tx } from '../ledger/tx.ts';
import { EVENTS_MIRRORED } from './event-log.ts';

/** A task whose files are all written. */
export interface SettledTask {
  readonly taskId: TaskName;
  /** The last commit before the task was read. */
  readonly readAt: number;
  readonly forgotten: readonly string[];
  readonly hasEnded: boolean;
}

/** The finished work of the mirror and its next intents, recorded by one command. */
export interface MirrorRecord {
  readonly settled: readonly SettledTask[];
  readonly eventsWritten: number | null;
  readonly opened: readonly NewIncident[];
  /** Kinds of incidents to close. */
  readonly closedKinds: readonly string[];
  readonly intents: readonly MirrorFile[];
  /** The texts of the task files that are about to be written. */
  readonly bases: readonly MirrorBase[];
}

/** Finished work comes first: a file can be in both lists, and its intent is the newer state. */
export const recordMirror: Command<MirrorRecord, object> = (tx, record) => {
  for (const { taskId, readAt, forgotten, hasEnded } of record.settled) {
    settleMirrorFiles(tx, taskId);
    for (const path of forgotten) deleteMirrorFile(tx, path);
    deleteUnmirrored(tx, taskId, readAt);
    if (hasEnded) deleteMirrorBases(tx, taskId);
  }
  if (record.eventsWritten !== null) upsertMeta(tx, EVENTS_MIRRORED, String(record.eventsWritten));
  for (const incident of record.opened) open(tx, incident);
  for (const kind of record.closedKinds) close(tx, kind);
  for (const file of record.intents) upsertMirrorFile(tx, file);
  for (const base of record.bases) keepMirrorBase(tx, base);
  return {};
};

/** At most one incident of a kind is open, unless it concerns a single task. */
function open(tx: Tx, incident: NewIncident): void {
  const { kind, detail, taskId } = incident;
  if (taskId === null && selectOpenIncident(tx, kind) !== null) return;
  const id = insertIncident(tx, incident);
  const payload = { incident: id, kind, detail };
  insertEvent(tx, { type: 'incident.opened', actor: DISPATCHER, taskId: taskId as TaskName | null, payload });
}

function close(tx: Tx, kind: string): void {
  const id = selectOpenIncident(tx, kind);
  if (id === null) return;
  closeIncident(tx, id);
  insertEvent(tx, { type: 'incident.closed', actor: DISPATCHER, taskId: null, payload: { incident: id, kind } });
}
