import { answerOfCall } from '../answer-of-call.ts';
import { taskWords } from '../call-parts.ts';
import { nodeCommand } from '../node/node-command.ts';
import { diffPage } from './work-text.ts';

export const diffCommand = nodeCommand({
  usage: 'baton diff TASK [--stat] [--json]',
  about: 'Shows what a task changed: the files before its first run compared with the files after its last.',
  examples: ['baton diff @', 'baton diff 57 --stat'],
  ignores: ['key'],
  flags: { stat: { takes: 'nothing', help: 'list the files and line counts only' } },
  plan(call) {
    const reference = taskWords(call, 'diff');
    const isBrief = Boolean(call.flags.stat);
    return async (client) =>
      answerOfCall(await client.diffWork({ task: reference }), {
        say: (diff, style) => diffPage(diff, style, isBrief),
      });
  },
});
