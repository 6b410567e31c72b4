import type { LoadedCommand } from '../../command.ts';

/** baton config …, each with its code behind an import of its own. */
export const CONFIG_VERBS: readonly LoadedCommand[] = [
  { name: 'show', summary: 'all settings, and who said so', load: async () => (await import('./show.ts')).showCommand },
  { name: 'get', summary: 'one setting', load: async () => (await import('./get.ts')).getCommand },
  { name: 'set', summary: 'change one setting', load: async () => (await import('./set.ts')).setCommand },
  { name: 'edit', summary: 'open a file of settings', load: async () => (await import('./edit.ts')).editCommand },
];
