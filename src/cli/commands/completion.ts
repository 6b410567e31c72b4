import { type Answer, type Command, UsageError } from '../command.ts';
import type { CommandEntry } from '../command-entry.ts';
import { gatherWords } from '../completion-words.ts';
import { COMPLETION_SHELLS, completionScript } from '../output/completion-script.ts';

/** Made of all commands, which it is one of. */
export const completionCommand = (entries: readonly CommandEntry[]): Command => ({
  usage: `baton completion ${COMPLETION_SHELLS.join('|')}`,
  about: 'Prints a script for your shell that completes commands and flags.',
  examples: [
    'baton completion bash >> ~/.bashrc',
    'baton completion zsh > ~/.zfunc/_baton',
    'baton completion fish > ~/.config/fish/completions/baton.fish',
  ],
  flags: {},
  async run(call): Promise<Answer<unknown>> {
    const [word, tooMany] = call.words;
    const shell = COMPLETION_SHELLS.find((each) => each === word);
    if (!shell || tooMany !== undefined)
      throw new UsageError('completion: for which shell?', `baton completion ${COMPLETION_SHELLS.join('|')}`);
    const script = completionScript(shell, await gatherWords(entries));
    return { values: [{ shell, script }], human: () => script, exitCode: () => 0 };
  },
});
