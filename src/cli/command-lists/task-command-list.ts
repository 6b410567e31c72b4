import type { LoadedCommand } from '../command.ts';

export const TASK_VERBS: readonly LoadedCommand[] = [
  { name: 'new', summary: 'create a task', load: async () => (await import('../commands/task/new.ts')).newCommand },
  { name: 'list', summary: 'list tasks', load: async () => (await import('../commands/task/list.ts')).listCommand },
  {
    name: 'show',
    summary: 'show everything about a task',
    load: async () => (await import('../commands/task/show.ts')).showCommand,
  },
  {
    name: 'move',
    summary: 'change the status of a task',
    load: async () => (await import('../commands/task/move.ts')).moveCommand,
  },
  {
    name: 'edit',
    summary: 'change the title, body or fields of a task',
    load: async () => (await import('../commands/task/edit.ts')).editCommand,
  },
  {
    name: 'cancel',
    summary: 'cancel a task',
    load: async () => (await import('../commands/task/cancel.ts')).cancelCommand,
  },
  {
    name: 'retry',
    summary: 'retry a blocked task',
    load: async () => (await import('../commands/task/retry.ts')).retryCommand,
  },
  {
    name: 'depend',
    summary: 'make a task wait for others',
    load: async () => (await import('../commands/task/depend.ts')).dependCommand,
  },
  {
    name: 'claim',
    summary: 'claim a task for an agent',
    load: async () => (await import('../commands/task/claim.ts')).claimCommand,
  },
  {
    name: 'beat',
    summary: 'renew the claim (heartbeat)',
    load: async () => (await import('../commands/task/beat.ts')).beatCommand,
  },
  {
    name: 'end',
    summary: 'end the claim',
    load: async () => (await import('../commands/task/end.ts')).endCommand,
  },
];
