import type { Listed, LoadedCommand } from './command.ts';
import { TASK_VERBS } from './commands/task/verbs.ts';

/** Commands that belong together, called by a second word. */
export interface CommandFamily extends Listed {
  readonly about: string;
  readonly examples: readonly string[];
  readonly verbs: readonly LoadedCommand[];
}

export type CommandEntry = (LoadedCommand | CommandFamily) & {
  readonly group: 'Work' | 'Review' | 'Agents' | 'Node' | 'Protocols';
};

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'task',
    group: 'Work',
    summary: 'tasks by hand: new, list, show, move …',
    about: [
      'A task is named by TASK-2026-02-09-057, by its tsk_… id, by its number (57: the newest with it), by words of its',
      'title, or by @, the last one touched.',
    ].join('\n'),
    examples: ['baton task new "Write the README" --agent emma', 'baton task list', 'baton task show @'],
    verbs: TASK_VERBS,
  },
  {
    name: 'status',
    group: 'Work',
    summary: 'what runs, what waits, what needs you',
    load: async () => (await import('./commands/status.ts')).statusCommand,
  },
  {
    name: 'events',
    group: 'Work',
    summary: 'everything that happened, in order',
    load: async () => (await import('./commands/events.ts')).eventsCommand,
  },
  {
    name: 'up',
    group: 'Node',
    summary: 'keep the node on: its HTTP door, live events, files both ways',
    load: async () => (await import('./commands/up.ts')).upCommand,
  },
  {
    name: 'down',
    group: 'Node',
    summary: 'stop it',
    load: async () => (await import('./commands/down.ts')).downCommand,
  },
  {
    name: 'init',
    group: 'Node',
    summary: 'set up a data folder',
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  {
    name: 'backup',
    group: 'Node',
    summary: 'copy the ledger to a file, also while it is used',
    load: async () => (await import('./commands/backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    group: 'Node',
    summary: 'bring such a copy back',
    load: async () => (await import('./commands/restore.ts')).restoreCommand,
  },
  {
    name: 'rebuild',
    group: 'Node',
    summary: 'write the files of all tasks anew',
    load: async () => (await import('./commands/rebuild.ts')).rebuildCommand,
  },
  {
    name: 'send',
    group: 'Protocols',
    summary: 'hand in a message of an agent',
    load: async () => (await import('./commands/send.ts')).sendCommand,
  },
  {
    name: 'check',
    group: 'Protocols',
    summary: 'validate protocol messages',
    load: async () => (await import('./commands/check.ts')).checkCommand,
  },
  {
    name: 'schema',
    group: 'Protocols',
    summary: 'print the JSON Schema of a message',
    load: async () => (await import('./commands/schema.ts')).schemaCommand,
  },
];
