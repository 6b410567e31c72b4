import { rebuildFromTree } from '../../node/folder/rebuild-from-tree.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { usedFolderOf } from '../call-folder.ts';
import { type Call, type CliCommand, flagText, UsageError } from '../command.ts';
import { endOnFault } from '../output/end-on-fault.ts';
import { nodeCommand } from './node-command.ts';
import { acceptedLossText, rebuildText, rebuiltFromTreeText } from './node-text.ts';

const fromLedger = nodeCommand({
  usage: 'baton rebuild --from ledger|tree [--accept-loss] [--json]',
  about: [
    '--from ledger rewrites the files of all tasks, runs and events from the ledger, which is authoritative.',
    [
      '--from tree makes a new ledger from the files, for when the ledger is lost or damaged and there is no backup. The old',
      'ledger and files are saved beside it; what the files do not contain is listed.',
    ].join(' '),
    [
      '--accept-loss is for a ledger that lost events which the files still show: it continues without them, above their',
      'numbers, and saves the files.',
    ].join(' '),
  ].join('\n'),
  examples: ['baton rebuild --from ledger', 'baton rebuild --from tree'],
  ignores: ['key'],
  flags: {
    from: { takes: 'value', shows: 'ledger|tree', help: 'the source to rebuild from' },
    'accept-loss': { takes: 'nothing', help: 'with --from ledger: continue without events that the ledger has lost' },
  },
  plan(call) {
    if (sourceOf(call) !== 'ledger')
      throw new UsageError('rebuild: needs --from ledger or --from tree', 'baton rebuild --from ledger');
    return async (client) =>
      answerOfCall(await client.rebuild(), {
        say: rebuildText,
        next: ({ failed }) => (failed === 0 ? null : 'baton status shows why'),
        exitCode: ({ failed }) => (failed === 0 ? 0 : 1),
      });
  },
});

export const rebuildCommand: CliCommand = {
  ...fromLedger,
  run: async (call) => {
    const source = sourceOf(call);
    if (call.flags['accept-loss'] && source !== 'ledger')
      throw new UsageError('rebuild: --accept-loss needs --from ledger', 'baton rebuild --from ledger --accept-loss');
    if (call.flags['accept-loss']) return await withoutLost(call);
    return source === 'tree' ? await fromTree(call) : await fromLedger.run(call);
  },
};

async function withoutLost(call: Call) {
  const { acceptLoss } = await import('../../node/folder/accept-loss.ts');
  const onFatal = (fault: Error) => endOnFault(fault, Boolean(call.flags.json));
  return answerOfCall(await acceptLoss({ dataFolder: usedFolderOf(call), onFatal }), { say: acceptedLossText });
}

function sourceOf(call: Call): string | undefined {
  return flagText(call, 'from') ?? call.words[0];
}

async function fromTree(call: Call) {
  const onFatal = (fault: Error) => endOnFault(fault, Boolean(call.flags.json));
  return answerOfCall(await rebuildFromTree({ dataFolder: usedFolderOf(call), onFatal }), { say: rebuiltFromTreeText });
}
