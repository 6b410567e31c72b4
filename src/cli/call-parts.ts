import type { CallOptions } from '../api/task-view.ts';
import { PRIORITIES, type Priority } from '../domain/task.ts';
import { TASK_STATUSES, type TaskStatus } from '../domain/task-lifecycle.ts';
import { type Call, flagText, UsageError } from './command.ts';

// What the commands about tasks take from a call, or refuse before anything is opened.

/** A task, by all the words given. */
export function taskWords(call: Call, command: string, words: readonly string[] = call.words): string {
  if (words.length > 0 && words.join('').trim() !== '') return words.join(' ');
  throw new UsageError(`${command}: which task?`, `baton ${command} TASK; @ is the last one touched`);
}

export function callOptions(call: Call): CallOptions {
  const key = flagText(call, 'key');
  if (key === '') throw new UsageError('--key: a key has at least one character', '--key ANYTHING-OF-YOUR-OWN');
  return key === undefined ? {} : { key };
}

export function priorityOf(call: Call): Priority | undefined {
  const given = flagText(call, 'priority');
  if (given === undefined) return undefined;
  const priority = PRIORITIES.find((each) => each === given.toLowerCase());
  if (priority) return priority;
  throw new UsageError(`no priority ${JSON.stringify(given)}`, `--priority ${PRIORITIES.join('|')}`);
}

export function statusNamed(given: string): TaskStatus {
  const status = TASK_STATUSES.find(
    (each) => each.replaceAll('-', '') === given.toLowerCase().replaceAll(/[-_ ]/g, ''),
  );
  if (status) return status;
  throw new UsageError(`no status ${JSON.stringify(given)}`, `one of ${TASK_STATUSES.join(', ')}`);
}

export function agentOf(call: Call, command: string): string {
  const agent = flagText(call, 'agent');
  if (agent !== undefined && agent !== '') return agent;
  throw new UsageError(`${command}: for which agent?`, `baton ${command} TASK --agent NAME`);
}

/** Of several ways to give the same thing one is taken. */
export function refuseWordsBeside(call: Call, flag: string, command: string): void {
  if (call.words.length === 0 || flagText(call, flag) === undefined) return;
  throw new UsageError(
    `${command}: --${flag} and the words ${JSON.stringify(call.words.join(' '))} both`,
    `give one of them`,
  );
}

/** What a call to come has to say about the data folder, where this one named it; read by a shell it is the same. */
export function folderFlagOf(call: Call): string {
  const folder = flagText(call, 'data');
  return folder === undefined ? '' : ` --data ${quoted(folder)}`;
}

function quoted(word: string): string {
  return /^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
