import type { Command } from './command.ts';

export interface CommandEntry {
  readonly name: string;
  readonly group: 'Work' | 'Review' | 'Agents' | 'Node' | 'Protocols';
  readonly summary: string;
  load(): Promise<Command>;
}

/** Every command, with its code behind an import of its own: a command loads only what it needs. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'check',
    group: 'Protocols',
    summary: 'validate protocol messages',
    load: async () => (await import('./commands/check.ts')).checkCommand,
  },
  {
    name: 'schema',
    group: 'Protocols',
    summary: 'print the JSON Schema of a message',
    load: async () => (await import('./commands/schema.ts')).schemaCommand,
  },
];
