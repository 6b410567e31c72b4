import { type Answer, type CliCommand, type CommandEntry, type FlagSpec, UsageError } from '../command.ts';
import { GLOBAL_FLAGS, shownFlags } from '../parse-call.ts';
import { COMPLETION_SHELLS, type CompletionWords, completionScript } from './completion-script.ts';

/** Takes all commands, of which it is one. */
export const completionCommand = (entries: readonly CommandEntry[]): CliCommand => ({
  usage: `baton completion ${COMPLETION_SHELLS.join('|')}`,
  about: 'Prints a script for your shell that completes commands and flags.',
  examples: [
    'baton completion bash >> ~/.bashrc',
    'baton completion zsh > ~/.zfunc/_baton',
    'baton completion fish > ~/.config/fish/completions/baton.fish',
  ],
  ignores: ['data', 'key'],
  flags: {},
  async run(call): Promise<Answer<unknown>> {
    const [word, tooMany] = call.words;
    const shell = COMPLETION_SHELLS.find((each) => each === word);
    if (!shell || tooMany !== undefined)
      throw new UsageError('completion: needs the name of a shell', `baton completion ${COMPLETION_SHELLS.join('|')}`);
    const script = completionScript(shell, await gatherWords(entries));
    return { values: [{ shell, script }], human: () => script, exitCode: () => 0 };
  },
});

/** Every command with its flags, from the same tables as help. */
async function gatherWords(entries: readonly CommandEntry[]): Promise<readonly CompletionWords[]> {
  const all: CompletionWords[] = [{ after: '', commands: entries, flags: flagsOf(GLOBAL_FLAGS) }];
  for (const entry of entries) {
    const commands = 'verbs' in entry ? entry.verbs : [entry];
    if ('verbs' in entry) all.push({ after: entry.name, commands, flags: flagsOf(GLOBAL_FLAGS) });
    for (const command of commands) {
      const after = 'verbs' in entry ? `${entry.name} ${command.name}` : command.name;
      all.push({ after, commands: [], flags: flagsOf(shownFlags(await command.load())) });
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
