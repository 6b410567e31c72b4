import type { Listed, LoadedCommand } from './command.ts';

/** Commands that belong together, called by a second word. */
export interface CommandFamily extends Listed {
  readonly about: string;
  readonly examples: readonly string[];
  readonly verbs: readonly LoadedCommand[];
}

export type CommandEntry = (LoadedCommand | CommandFamily) & {
  readonly group: 'Work' | 'Review' | 'Agents' | 'Node' | 'Protocols';
};
