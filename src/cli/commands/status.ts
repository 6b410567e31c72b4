import { answerOf } from '../answer-of-call.ts';
import { folderFlagOf } from '../call-parts.ts';
import { UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { statusPage } from '../output/status-text.ts';

export const statusCommand = nodeCommand({
  usage: 'baton status [--json]',
  about: [
    'Shows what is running and since when, what needs you and why, whose work waits to be applied, what is waiting, and what',
    'is wrong.',
  ].join(' '),
  examples: ['baton status', 'baton status --json'],
  ignores: ['key'],
  flags: {},
  plan(call) {
    if (call.words.length > 0) throw new UsageError('status: takes no arguments', 'baton task show TASK');
    return async (client) =>
      answerOf(await client.status(), { say: (status, style) => statusPage(status, style, folderFlagOf(call)) });
  },
});
