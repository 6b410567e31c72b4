import { resolve } from 'node:path';
import { answerOfCall } from '../answer-of-call.ts';
import { UsageError } from '../command.ts';
import { nodeCommand } from './node-command.ts';
import { backupText } from './node-text.ts';

export const backupCommand = nodeCommand({
  usage: 'baton backup FILE [--with-work] [--force] [--json]',
  about: [
    'Copies the ledger (every task, run and event at one instant) to a file, with receipts, logs, results, the folders of',
    'tasks and config.yaml. --with-work adds the saved files behind diff and undo, which may be large. The node may be running',
    'meanwhile. The copy is verified and sealed with its hash, so that later damage is detected. baton restore brings it back.',
  ].join(' '),
  examples: ['baton backup ~/baton-monday.bak', 'baton backup all.bak --with-work', 'baton backup latest.bak --force'],
  ignores: ['key'],
  flags: {
    force: { takes: 'nothing', help: 'overwrite an existing file' },
    'with-work': { takes: 'nothing', help: 'add the saved files behind diff and undo' },
  },
  plan(call) {
    const [file, tooMany] = call.words;
    if (file === undefined || tooMany !== undefined)
      throw new UsageError('backup: needs exactly one file', 'baton backup FILE');
    const force = Boolean(call.flags.force);
    const withWork = Boolean(call.flags['with-work']);
    return async (client) =>
      answerOfCall(await client.backup({ file: resolve(file), force, withWork }), {
        say: backupText,
        next: ({ leftOut }) => `left out: ${leftOut.join('; ')}`,
      });
  },
});
