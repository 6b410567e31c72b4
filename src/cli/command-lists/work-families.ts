import type { CommandEntry } from '../command.ts';
import { SESSION_VERBS } from './session-command-list.ts';
import { TASK_VERBS } from './task-command-list.ts';

/** Commands about tasks and sessions. */
export const WORK_FAMILIES: readonly CommandEntry[] = [
  {
    name: 'task',
    group: 'Work',
    summary: 'create, list and change tasks',
    about: [
      'TASK is the name TASK-2026-02-09-057, the id tsk_…, a number (57: the newest task with it), words of the title, or @',
      'for the one that you named or started last in this data folder; before that, the newest.',
    ].join(' '),
    examples: ['baton task new "Write the README" --agent emma', 'baton task list', 'baton task show @'],
    verbs: TASK_VERBS,
  },
  {
    name: 'session',
    group: 'Work',
    summary: 'run several tasks that belong together',
    about: [
      'A session is several tasks that share an id, with one report at the end. SESSION is its id, words of its id or name, or @ for',
      'the newest.',
    ].join(' '),
    examples: ['baton session run night.yaml --budget 10', 'baton session show @', 'baton session stop @'],
    verbs: SESSION_VERBS,
  },
];
