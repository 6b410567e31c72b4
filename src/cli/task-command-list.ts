import type { LoadedCommand } from './command.ts';

/** baton task …, each with its code behind an import of its own. */
export const TASK_VERBS: readonly LoadedCommand[] = [
  { name: 'new', summary: 'make a task', load: async () => (await import('./commands/task/new.ts')).newCommand },
  { name: 'list', summary: 'see the tasks', load: async () => (await import('./commands/task/list.ts')).listCommand },
  {
    name: 'show',
    summary: 'see all of one task',
    load: async () => (await import('./commands/task/show.ts')).showCommand,
  },
  {
    name: 'move',
    summary: 'give a task another status',
    load: async () => (await import('./commands/task/move.ts')).moveCommand,
  },
  {
    name: 'edit',
    summary: 'change what a task says',
    load: async () => (await import('./commands/task/edit.ts')).editCommand,
  },
  {
    name: 'cancel',
    summary: 'give a task up for good',
    load: async () => (await import('./commands/task/cancel.ts')).cancelCommand,
  },
  {
    name: 'retry',
    summary: 'give a blocked task another round',
    load: async () => (await import('./commands/task/retry.ts')).retryCommand,
  },
  {
    name: 'depend',
    summary: 'make a task wait for others',
    load: async () => (await import('./commands/task/depend.ts')).dependCommand,
  },
  {
    name: 'claim',
    summary: 'take a task as an agent',
    load: async () => (await import('./commands/task/claim.ts')).claimCommand,
  },
  {
    name: 'beat',
    summary: 'say that you still work on it',
    load: async () => (await import('./commands/task/beat.ts')).beatCommand,
  },
  {
    name: 'end',
    summary: 'say that you no longer do',
    load: async () => (await import('./commands/task/end.ts')).endCommand,
  },
];
