import { writeExamples } from '../../config/write-examples.ts';
import { AGENT_DRIVERS } from '../../node/agents/agent-drivers.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { ownFolderOf, trustFolderOf } from '../call-folder.ts';
import { type CliCommand, UsageError } from '../command.ts';
import { nodeCommand } from './node-command.ts';
import { initText } from './node-text.ts';

export const initCommand: CliCommand = nodeCommand({
  usage: 'baton init [--trust] [--data FOLDER] [--json]',
  about: [
    'Creates a data folder: the ledger, the folder of task files, and a configuration to fill in. Running it again is',
    'harmless. A data folder that came with a repository or an archive is not used until you pass --trust: it may name',
    'commands to run.',
  ].join(' '),
  examples: ['baton init', 'baton init --data ~/work/baton'],
  ignores: ['key'],
  creates: true,
  flags: { trust: { takes: 'nothing', help: 'use a data folder that was not created on this machine' } },
  plan(call) {
    if (call.words.length > 0) throw new UsageError('init: takes no arguments', 'baton init --data FOLDER');
    const data = call.flags.trust ? trustFolderOf(call) : ownFolderOf(call);
    const made = writeExamples(
      data,
      AGENT_DRIVERS.map(({ name }) => name),
    );
    return async (client) => {
      await client.treeSettled();
      return answerOfCall({ data, made }, { say: initText, next: () => 'next: baton task new "what to do"' });
    };
  },
});
