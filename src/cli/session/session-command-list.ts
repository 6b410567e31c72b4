import type { LoadedCommand } from '../command.ts';

/** baton session …, each with its code behind an import of its own. */
export const SESSION_VERBS: readonly LoadedCommand[] = [
  {
    name: 'run',
    summary: 'run the tasks of a file, and report on all',
    load: async () => (await import('./run.ts')).sessionRunCommand,
  },
  {
    name: 'list',
    summary: 'list sessions, the newest first',
    load: async () => (await import('./list.ts')).sessionListCommand,
  },
  {
    name: 'show',
    summary: 'show the tasks of a session and their states',
    load: async () => (await import('./show.ts')).sessionShowCommand,
  },
  {
    name: 'apply',
    summary: 'merge the checked work of a session into your files',
    load: async () => (await import('./apply.ts')).sessionApplyCommand,
  },
  {
    name: 'audit',
    summary: 'verify the audit trail of a session',
    load: async () => (await import('./audit.ts')).sessionAuditCommand,
  },
  {
    name: 'stop',
    summary: 'stop a session; the work so far stays',
    load: async () => (await import('./stop.ts')).sessionStopCommand,
  },
  {
    name: 'continue',
    summary: 'continue the tasks that were not done',
    load: async () => (await import('./reopen.ts')).sessionContinueCommand,
  },
  {
    name: 'retry',
    summary: 'start the tasks that were not done once more',
    load: async () => (await import('./reopen.ts')).sessionRetryCommand,
  },
];
