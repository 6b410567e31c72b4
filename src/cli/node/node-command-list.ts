import type { CommandEntry, LoadedCommand } from '../command.ts';

const configCommands = () => import('./config.ts');

const CONFIG_VERBS: readonly LoadedCommand[] = [
  {
    name: 'show',
    summary: 'all settings, and where they come from',
    load: async () => (await configCommands()).configShowCommand,
  },
  { name: 'get', summary: 'one setting', load: async () => (await configCommands()).configGetCommand },
  { name: 'set', summary: 'change one setting', load: async () => (await configCommands()).configSetCommand },
  {
    name: 'edit',
    summary: 'open a settings file in your editor',
    load: async () => (await configCommands()).configEditCommand,
  },
];

/** Commands for the node and its data folder. */
export const NODE_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'up',
    group: 'Node',
    summary: 'start the node: HTTP API, live events, editable task files',
    load: async () => (await import('./up.ts')).upCommand,
  },
  {
    name: 'open',
    group: 'Node',
    summary: 'open the dashboard in your browser',
    load: async () => (await import('./open.ts')).openCommand,
  },
  {
    name: 'down',
    group: 'Node',
    summary: 'stop the node',
    load: async () => (await import('./down.ts')).downCommand,
  },
  {
    name: 'doctor',
    group: 'Node',
    summary: 'find problems, and how to fix them',
    load: async () => (await import('../doctor/doctor.ts')).doctorCommand,
  },
  {
    name: 'config',
    group: 'Node',
    summary: 'show and change settings',
    about: [
      'Settings come from these sources, later ones win: built in, ~/.config/baton/config.yaml, baton.yaml at the git root,',
      'config.yaml of the data folder, BATON_… variables, flags.',
    ].join(' '),
    examples: ['baton config show --origin', 'baton config set default_agent emma', 'baton config get http.port'],
    verbs: CONFIG_VERBS,
  },
  {
    name: 'trust',
    group: 'Node',
    summary: 'trust the baton.yaml of this repository',
    load: async () => (await import('./trust.ts')).trustCommand,
  },
  {
    name: 'init',
    group: 'Node',
    summary: 'set up a data folder',
    load: async () => (await import('./init.ts')).initCommand,
  },
  {
    name: 'clean',
    group: 'Node',
    summary: 'remove work that is applied, undone or discarded',
    load: async () => (await import('../work/clean.ts')).cleanCommand,
  },
  {
    name: 'backup',
    group: 'Node',
    summary: 'copy the ledger to a file, even while in use',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    group: 'Node',
    summary: 'restore the ledger from a backup',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  {
    name: 'rebuild',
    group: 'Node',
    summary: 'rewrite all task files, or rebuild the ledger',
    load: async () => (await import('./rebuild.ts')).rebuildCommand,
  },
];
