import { writeExamples } from '../../config/write-examples.ts';
import { makeDataFolder } from '../../platform/data-folder.ts';
import { answerOf } from '../answers.ts';
import { type Command, UsageError } from '../command.ts';
import { nodeCommand } from '../node-command.ts';
import { dataFolderOf } from '../open-client.ts';
import { initText } from '../output/init-text.ts';

export const initCommand: Command = nodeCommand({
  usage: 'baton init [--data FOLDER] [--json]',
  about:
    'Sets up a data folder: the ledger, a place for the files of tasks, and a configuration to fill in. Once is enough.',
  examples: ['baton init', 'baton init --data ~/work/baton'],
  flags: {},
  plan(call) {
    if (call.words.length > 0) throw new UsageError('init: takes no words', 'baton init --data FOLDER');
    const data = dataFolderOf(call);
    makeDataFolder(data);
    const made = writeExamples(data);
    return async (client) => {
      await client.treeSettled();
      return answerOf({ data, made }, { say: initText, next: () => 'next: baton task new "what is to be done"' });
    };
  },
});
