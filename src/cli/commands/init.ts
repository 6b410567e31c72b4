import { writeExamples } from '../../config/write-examples.ts';
import { answerOf } from '../answers.ts';
import { ownFolderOf, trustFolderOf } from '../call-folder.ts';
import { type Command, UsageError } from '../command.ts';
import { nodeCommand } from '../node-command.ts';
import { initText } from '../output/node-text.ts';

export const initCommand: Command = nodeCommand({
  usage: 'baton init [--trust] [--data FOLDER] [--json]',
  about: [
    'Sets up a data folder: the ledger, a place for the files of tasks, and a configuration to fill in. Once is enough.',
    'A folder that came with a repository or an archive does not count until --trust says so: it may name commands.',
  ].join('\n'),
  examples: ['baton init', 'baton init --data ~/work/baton'],
  flags: { trust: { takes: 'nothing', help: 'a folder that was not made on this machine: what is in it counts' } },
  plan(call) {
    if (call.words.length > 0) throw new UsageError('init: takes no words', 'baton init --data FOLDER');
    const data = call.flags.trust ? trustFolderOf(call) : ownFolderOf(call);
    const made = writeExamples(data);
    return async (client) => {
      await client.treeSettled();
      return answerOf({ data, made }, { say: initText, next: () => 'next: baton task new "what is to be done"' });
    };
  },
});
