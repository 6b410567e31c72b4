import { answerOfCall } from '../answer-of-call.ts';
import { flagText, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { cleanText } from '../node/node-text.ts';

export const cleanCommand = nodeCommand({
  usage: 'baton clean [--dry-run] [--older-than DAYS] [--json]',
  about: [
    'Removes saved work that is no longer needed: worktrees whose work was applied, undone or discarded, and the files that',
    'Baton saved for tasks that were undone or discarded. What is in your files stays undoable for 14 days, or as long as',
    '--older-than says. Work that waits to be applied and work of running tasks always stays. Tasks, logs and receipts stay, and',
    'your own files and repository are not touched.',
  ].join(' '),
  examples: ['baton clean --dry-run', 'baton clean', 'baton clean --older-than 0'],
  ignores: ['key'],
  flags: {
    'dry-run': { takes: 'nothing', help: 'show what would be removed, and remove nothing' },
    'older-than': { takes: 'value', shows: 'DAYS', help: 'days that work in your files stays undoable (14)' },
  },
  plan(call) {
    if (call.words.length > 0) throw new UsageError('clean: takes no arguments', 'baton discard TASK drops one task');
    const days = flagText(call, 'older-than');
    if (days !== undefined && !/^\d{1,5}$/.test(days))
      throw new UsageError('--older-than: must be a number of days', 'baton clean --older-than 30');
    const dryRun = Boolean(call.flags['dry-run']);
    return async (client) =>
      answerOfCall(await client.clean({ dryRun, ...(days !== undefined && { olderThanDays: Number(days) }) }), {
        say: cleanText,
        next: (answer) => (answer.dryRun && answer.bytes > 0 ? 'next: baton clean removes it' : null),
      });
  },
});
