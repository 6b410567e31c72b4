import type { CommandEntry, LoadedCommand } from './command.ts';
import { EXTERNAL_COMMANDS } from './external/external-command-list.ts';
import { FEDERATION_COMMANDS } from './federation/federation-command-list.ts';
import { NODE_COMMANDS } from './node/node-command-list.ts';
import { ORDER_COMMANDS } from './order/order-command-list.ts';
import { SESSION_VERBS } from './session/session-command-list.ts';
import { TASK_VERBS } from './task/task-command-list.ts';

/** baton receipt …, each with its code behind an import of its own. */
const RECEIPT_VERBS: readonly LoadedCommand[] = [
  {
    name: 'verify',
    summary: 'check that a receipt is unchanged, and whose it is',
    load: async () => (await import('./work/receipt.ts')).receiptVerifyCommand,
  },
];

/** Commands about tasks and sessions. */
const WORK_FAMILIES: readonly CommandEntry[] = [
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

export const COMMANDS: readonly CommandEntry[] = [
  ...ORDER_COMMANDS,
  ...WORK_FAMILIES,
  {
    name: 'status',
    group: 'Work',
    summary: 'show what is running, waiting, or needs you',
    load: async () => (await import('./task/status.ts')).statusCommand,
  },
  {
    name: 'watch',
    group: 'Work',
    summary: 'keep the status on the screen, live',
    load: async () => (await import('./trace/watch.ts')).watchCommand,
  },
  {
    name: 'events',
    group: 'Work',
    summary: 'list everything that happened, in order',
    load: async () => (await import('./trace/events.ts')).eventsCommand,
  },
  {
    name: 'receipt',
    group: 'Review',
    summary: 'verify the signed record of a run',
    about: 'A receipt is the signed record of a run: its checks, the files that were checked, and its cost.',
    examples: ['baton receipt verify @', 'baton receipt verify .baton/runs/TASK-2026-02-09-057/receipt.json'],
    verbs: RECEIPT_VERBS,
  },
  {
    name: 'agents',
    group: 'Agents',
    summary: 'list agents, and whether they are ready',
    load: async () => (await import('./agent/agents.ts')).agentsCommand,
  },
  ...NODE_COMMANDS,
  ...FEDERATION_COMMANDS,
  ...EXTERNAL_COMMANDS,
  {
    name: 'completion',
    group: 'Node',
    summary: 'print a completion script for your shell',
    load: async () => (await import('./node/completion.ts')).completionCommand(COMMANDS),
  },
  {
    name: 'send',
    group: 'Protocols',
    summary: 'deliver a message of an agent',
    load: async () => (await import('./message/send.ts')).sendCommand,
  },
  {
    name: 'afp',
    group: 'Protocols',
    summary: 'ask an agent for feedback by an AFP request',
    load: async () => (await import('./review/afp.ts')).afpCommand,
  },
  {
    name: 'check',
    group: 'Protocols',
    summary: 'validate protocol messages',
    load: async () => (await import('./message/check.ts')).checkCommand,
  },
  {
    name: 'schema',
    group: 'Protocols',
    summary: 'print the JSON Schema of a message',
    load: async () => (await import('./message/schema.ts')).schemaCommand,
  },
];
