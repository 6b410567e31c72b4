import type { CommandEntry } from './command.ts';

/** What is given to agents, and what they leave. */
export const ORDER_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    group: 'Work',
    summary: 'hand a task to an agent and check what it did',
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  {
    name: 'logs',
    group: 'Work',
    summary: 'what its agent printed',
    load: async () => (await import('./commands/logs.ts')).logsCommand,
  },
  {
    name: 'stop',
    group: 'Work',
    summary: 'end it; the work is kept as it was left',
    load: async () => (await import('./commands/stop.ts')).stopCommand,
  },
  {
    name: 'diff',
    group: 'Review',
    summary: 'what the work of a task changed',
    load: async () => (await import('./commands/diff.ts')).diffCommand,
  },
  {
    name: 'apply',
    group: 'Review',
    summary: 'bring it into your files, or onto a branch',
    load: async () => (await import('./commands/work.ts')).applyCommand,
  },
  {
    name: 'discard',
    group: 'Review',
    summary: 'drop it',
    load: async () => (await import('./commands/work.ts')).discardCommand,
  },
  {
    name: 'undo',
    group: 'Review',
    summary: 'put every file back as before it',
    load: async () => (await import('./commands/work.ts')).undoCommand,
  },
  {
    name: 'verify',
    group: 'Review',
    summary: 'run its checks again',
    load: async () => (await import('./commands/work.ts')).verifyCommand,
  },
];
