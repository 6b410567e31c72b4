import { answerOf } from '../answers.ts';
import { UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { statusPage } from '../output/status-text.ts';

export const statusCommand = nodeCommand({
  usage: 'baton status [--json]',
  about: 'Shows what is running and since when, what is waiting, what needs you and why, and what is wrong.',
  examples: ['baton status', 'baton status --json'],
  ignores: ['key'],
  flags: {},
  plan({ words }) {
    if (words.length > 0) throw new UsageError('status: takes no arguments', 'baton task show TASK');
    return async (client) => answerOf(await client.status(), { say: statusPage });
  },
});
