import { rebuildFromTree } from '../../node/rebuild-from-tree.ts';
import { answerOf } from '../answers.ts';
import { ownFolderOf } from '../call-folder.ts';
import { type Call, type Command, flagText, UsageError } from '../command.ts';
import { nodeCommand } from '../node-command.ts';
import { endOnFault } from '../output/end-on-fault.ts';
import { rebuildText, rebuiltFromTreeText } from '../output/node-text.ts';

const fromLedger = nodeCommand({
  usage: 'baton rebuild --from ledger|tree [--json]',
  about: [
    'From the ledger: writes the files of all tasks, runs and events anew, for the ledger is the truth.',
    'From the tree: makes a new ledger of the files, where the ledger is lost or damaged and there is no backup.',
    'The ledger and the files that were there are kept beside; what files do not tell is named.',
  ].join('\n'),
  examples: ['baton rebuild --from ledger', 'baton rebuild --from tree'],
  flags: { from: { takes: 'value', shows: 'ledger|tree', help: 'where the truth is taken from' } },
  plan(call) {
    if (sourceOf(call) !== 'ledger') throw new UsageError('rebuild: from what?', 'baton rebuild --from ledger');
    return async (client) =>
      answerOf(await client.rebuild(), {
        say: rebuildText,
        next: ({ failed }) => (failed === 0 ? null : 'baton status tells why'),
        exitCode: ({ failed }) => (failed === 0 ? 0 : 1),
      });
  },
});

export const rebuildCommand: Command = {
  ...fromLedger,
  run: async (call) => (sourceOf(call) === 'tree' ? await fromTree(call) : await fromLedger.run(call)),
};

function sourceOf(call: Call): string | undefined {
  return flagText(call, 'from') ?? call.words[0];
}

async function fromTree(call: Call) {
  const onFatal = (fault: Error) => endOnFault(fault, Boolean(call.flags.json));
  return answerOf(await rebuildFromTree({ dataFolder: ownFolderOf(call), onFatal }), { say: rebuiltFromTreeText });
}
