import { resolve } from 'node:path';
import { answerOf } from '../answers.ts';
import { UsageError } from '../command.ts';
import { nodeCommand } from '../node-command.ts';
import { backupText } from '../output/node-text.ts';

export const backupCommand = nodeCommand({
  usage: 'baton backup FILE [--force] [--json]',
  about: [
    'Copies the ledger, as it is at one instant, to a file: every task, run and event. It may be in use meanwhile.',
    'The copy is checked and sealed, so that one that is torn or altered later is noticed. baton restore brings it back.',
  ].join('\n'),
  examples: ['baton backup ~/baton-monday.bak', 'baton backup latest.bak --force'],
  flags: { force: { takes: 'nothing', help: 'write over a file that is there' } },
  plan(call) {
    const [file, tooMany] = call.words;
    if (file === undefined || tooMany !== undefined) throw new UsageError('backup: one file', 'baton backup FILE');
    const force = Boolean(call.flags.force);
    return async (client) => answerOf(await client.backup({ file: resolve(file), force }), { say: backupText });
  },
});
