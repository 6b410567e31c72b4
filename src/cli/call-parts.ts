import type { CallOptions } from '../api/task/task-view.ts';
import { PRIORITIES, type Priority } from '../domain/task/task.ts';
import { TASK_STATUSES, type TaskStatus } from '../domain/task/task-lifecycle.ts';
import { type Call, flagText, UsageError } from './command.ts';

// Reads parts of a call, and refuses wrong ones before anything is opened.

/** The task that all given words name together. */
export function taskWords(call: Call, command: string, words: readonly string[] = call.words): string {
  if (words.length > 0 && words.join('').trim() !== '') return words.join(' ');
  throw new UsageError(`${command}: needs a task`, `baton ${command} TASK; @ is the one that you named last`);
}

export function callOptions(call: Call): CallOptions {
  const key = flagText(call, 'key');
  if (key === '') throw new UsageError('--key: the key is empty', '--key ANY-TEXT');
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

export function agentFlag(call: Call, command: string): string {
  const agent = flagText(call, 'agent');
  if (agent !== undefined && agent !== '') return agent;
  throw new UsageError(`${command}: needs an agent`, `baton ${command} TASK --agent NAME`);
}

/** Refuses the same thing given both by a flag and by words. */
export function refuseWordsBeside(call: Call, flag: string, command: string): void {
  if (call.words.length === 0 || flagText(call, flag) === undefined) return;
  throw new UsageError(`${command}: both --${flag} and ${JSON.stringify(call.words.join(' '))}`, `give one of them`);
}

/** The --data flag for follow-up calls, quoted for a shell; empty if this call has none. */
export function folderFlagOf(call: Call): string {
  const folder = flagText(call, 'data');
  return folder === undefined ? '' : ` --data ${shellWord(folder)}`;
}

/** A word as a shell reads it back. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
