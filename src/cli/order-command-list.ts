import type { CommandEntry } from './command.ts';

/** Commands that run agents and review their work. */
export const ORDER_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    group: 'Work',
    summary: 'have an agent do a task, and check its work',
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  {
    name: 'logs',
    group: 'Work',
    summary: 'the output of its agent',
    load: async () => (await import('./commands/logs.ts')).logsCommand,
  },
  {
    name: 'stop',
    group: 'Work',
    summary: 'stop it; the work so far stays',
    load: async () => (await import('./commands/stop.ts')).stopCommand,
  },
  {
    name: 'diff',
    group: 'Review',
    summary: 'what a task changed',
    load: async () => (await import('./commands/diff.ts')).diffCommand,
  },
  {
    name: 'apply',
    group: 'Review',
    summary: 'merge its work into your files or a branch',
    load: async () => (await import('./commands/work.ts')).applyCommand,
  },
  {
    name: 'discard',
    group: 'Review',
    summary: 'throw its worktree away',
    load: async () => (await import('./commands/work.ts')).discardCommand,
  },
  {
    name: 'undo',
    group: 'Review',
    summary: 'restore every file it changed',
    load: async () => (await import('./commands/work.ts')).undoCommand,
  },
  {
    name: 'verify',
    group: 'Review',
    summary: 'run its checks again',
    load: async () => (await import('./commands/work.ts')).verifyCommand,
  },
];
