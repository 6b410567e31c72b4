import { FILESYSTEM, OPERATOR } from '../domain/decisions/decide-sender.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { upsertMirrorFile } from '../ledger/statements/mirror-files.ts';
import { hasTask } from '../ledger/statements/tasks.ts';
import type { Adopted, NewFile } from '../tree/tree-commands.ts';
import { insertAdopted } from './insert-adopted.ts';
import { refuseAdoption } from './refuse-adoption.ts';
import { startRun } from './start-run.ts';

/** D-A10: a file that a person put into the tree is a task from now on; it has the status of its folder. */
export const adoptFile: Command<NewFile, Adopted> = (tx, file) => {
  const { content } = file;
  if (content.id !== null && hasTask(tx, content.id)) return { kind: 'later' };
  const refusal = refuseAdoption(tx, file);
  if (refusal) return { kind: 'refused', problem: refusal.message };
  const task = insertAdopted(tx, file);
  const { uid, title, priority } = task;
  const payload = { uid, title, agent: task.routing.agent, priority, status: file.folder, path: file.path };
  insertEvent(tx, { type: 'task.created', actor: FILESYSTEM, taskId: task.id, payload });
  const start = { agent: task.routing.agent ?? OPERATOR, process: null, reason: 'adopted', actor: FILESYSTEM };
  const held = file.folder === 'in-progress' ? startRun(tx, task, start).task : task;
  const { path, sha256 } = file;
  // Known as Baton's from here on: the mirror writes over it, or takes it away for one with the task's name.
  upsertMirrorFile(tx, { path, taskId: task.id, sha256, nextSha256: null, revision: held.revision });
  return { kind: 'adopted', task: held };
};
