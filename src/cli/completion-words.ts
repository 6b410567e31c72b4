import type { FlagSpec } from './command.ts';
import type { CommandEntry } from './command-entry.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';

/** What may follow some words of a call. */
export interface CompletionWords {
  /** Empty, `task`, `task new`. */
  readonly after: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** With their dashes. */
  readonly flags: readonly { readonly name: string; readonly help: string; readonly takesValue: boolean }[];
}

/** Every command with its flags, from where help has them too. */
export async function gatherWords(entries: readonly CommandEntry[]): Promise<readonly CompletionWords[]> {
  const all: CompletionWords[] = [{ after: '', commands: entries, flags: flagsOf(GLOBAL_FLAGS) }];
  for (const entry of entries) {
    const commands = 'verbs' in entry ? entry.verbs : [entry];
    if ('verbs' in entry) all.push({ after: entry.name, commands, flags: flagsOf(GLOBAL_FLAGS) });
    for (const command of commands) {
      const after = 'verbs' in entry ? `${entry.name} ${command.name}` : command.name;
      const { flags } = await command.load();
      all.push({ after, commands: [], flags: flagsOf({ ...flags, ...GLOBAL_FLAGS }) });
    }
  }
  return all;
}

function flagsOf(flags: Readonly<Record<string, FlagSpec>>): CompletionWords['flags'] {
  return Object.entries(flags).map(([name, { help, takes }]) => ({
    name: `--${name}`,
    help,
    takesValue: takes !== 'nothing',
  }));
}
