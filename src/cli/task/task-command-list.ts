import type { LoadedCommand } from '../command.ts';

export const TASK_VERBS: readonly LoadedCommand[] = [
  { name: 'new', summary: 'create a task', load: async () => (await import('./new.ts')).taskNewCommand },
  { name: 'list', summary: 'list tasks', load: async () => (await import('./list.ts')).taskListCommand },
  {
    name: 'show',
    summary: 'show everything about a task',
    load: async () => (await import('./show.ts')).taskShowCommand,
  },
  {
    name: 'move',
    summary: 'change the status of a task',
    load: async () => (await import('./move.ts')).taskMoveCommand,
  },
  {
    name: 'edit',
    summary: 'change the title, body or fields of a task',
    load: async () => (await import('./edit.ts')).taskEditCommand,
  },
  {
    name: 'cancel',
    summary: 'cancel a task',
    load: async () => (await import('./cancel.ts')).taskCancelCommand,
  },
  {
    name: 'retry',
    summary: 'retry a blocked task',
    load: async () => (await import('./retry.ts')).taskRetryCommand,
  },
  {
    name: 'depend',
    summary: 'make a task wait for others',
    load: async () => (await import('./depend.ts')).taskDependCommand,
  },
  {
    name: 'claim',
    summary: 'claim a task for an agent',
    load: async () => (await import('./claim.ts')).taskClaimCommand,
  },
  {
    name: 'beat',
    summary: 'renew the claim (heartbeat)',
    load: async () => (await import('./beat.ts')).taskBeatCommand,
  },
  {
    name: 'end',
    summary: 'end the claim',
    load: async () => (await import('./end.ts')).taskEndCommand,
  },
];
