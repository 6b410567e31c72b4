import type { CommandEntry, LoadedCommand } from './command.ts';

const configCommands = () => import('./commands/config.ts');

/** baton config …, each with its code behind an import of its own. */
const CONFIG_VERBS: readonly LoadedCommand[] = [
  {
    name: 'show',
    summary: 'all settings, and who said so',
    load: async () => (await configCommands()).showCommand,
  },
  { name: 'get', summary: 'one setting', load: async () => (await configCommands()).getCommand },
  { name: 'set', summary: 'change one setting', load: async () => (await configCommands()).setCommand },
  {
    name: 'edit',
    summary: 'open a file of settings',
    load: async () => (await configCommands()).editCommand,
  },
];

/** What is done for the node and its folder. */
export const NODE_COMMANDS: readonly CommandEntry[] = [
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
    name: 'doctor',
    group: 'Node',
    summary: 'what is missing or wrong, and what to do',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    name: 'config',
    group: 'Node',
    summary: 'settings: show, get, set, edit',
    about: [
      'Settings stand in YAML files; later wins: built in, ~/.config/baton/config.yaml, baton.yaml at the git root,',
      'config.yaml of the data folder, BATON_… variables, flags.',
    ].join('\n'),
    examples: ['baton config show --origin', 'baton config set default_agent emma', 'baton config get http.port'],
    verbs: CONFIG_VERBS,
  },
  {
    name: 'trust',
    group: 'Node',
    summary: 'let baton.yaml of this repository name commands',
    load: async () => (await import('./commands/trust.ts')).trustCommand,
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
];
