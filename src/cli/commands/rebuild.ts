import { answerOf } from '../answers.ts';
import { flagText, UsageError } from '../command.ts';
import { nodeCommand } from '../node-command.ts';
import { rebuildText } from '../output/keep-text.ts';

export const rebuildCommand = nodeCommand({
  usage: 'baton rebuild --from ledger [--json]',
  about: 'Writes the files of all tasks, runs and events anew from the ledger, which is the truth.',
  examples: ['baton rebuild --from ledger'],
  flags: { from: { takes: 'value', shows: 'ledger', help: 'where the truth is taken from' } },
  plan(call) {
    const from = flagText(call, 'from') ?? call.words[0];
    if (from === 'tree')
      throw new UsageError('rebuild: --from tree is not there yet', 'baton restore FILE, if the ledger is lost');
    if (from !== 'ledger') throw new UsageError('rebuild: from what?', 'baton rebuild --from ledger');
    return async (client) =>
      answerOf(await client.rebuild(), {
        say: rebuildText,
        next: ({ failed }) => (failed === 0 ? null : 'baton status tells why'),
        exitCode: ({ failed }) => (failed === 0 ? 0 : 1),
      });
  },
});
