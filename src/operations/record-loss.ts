import { DISPATCHER } from '../domain/task/decide-sender.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { TREE_IS_OLD } from '../ledger/restore.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { closeIncident, insertIncident } from '../ledger/statements/incidents.ts';
import { upsertMeta } from '../ledger/statements/meta.ts';
import { reserveTaskName } from '../ledger/statements/task-names.ts';

export interface Loss {
  /** The highest number of a lost event. */
  readonly to: number;
  readonly tasks: readonly string[];
  readonly detail: string;
  /** The folder that the next start moves the tree to. */
  readonly asideAs: string;
}

const KIND = 'events_lost';

/** Records lost events as one incident, closed by the operator's word, with the next numbers after theirs. */
export const recordLoss: Command<Loss, object> = (tx, { to, tasks, detail, asideAs }) => {
  tx.skipSeq(to);
  for (const task of tasks) reserveTaskName(tx, task as TaskName);
  const incident = insertIncident(tx, { kind: KIND, taskId: null, detail });
  insertEvent(tx, {
    type: 'incident.opened',
    actor: DISPATCHER,
    taskId: null,
    payload: { incident, kind: KIND, detail },
  });
  closeIncident(tx, incident);
  insertEvent(tx, { type: 'incident.closed', actor: DISPATCHER, taskId: null, payload: { incident, kind: KIND } });
  upsertMeta(tx, TREE_IS_OLD, asideAs);
  return {};
};

/** In a new ledger: its events begin after these numbers, which an earlier ledger gave. */
export const beginAfter: Command<{ readonly seq: number }, object> = (tx, { seq }) => {
  tx.skipSeq(seq);
  insertEvent(tx, { type: 'ledger.rebuilt', actor: DISPATCHER, taskId: null, payload: { from: 'tree', after: seq } });
  return {};
};
