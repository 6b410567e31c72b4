import { answerOf } from '../../answer-of-call.ts';
import { nodeCommand } from '../../node/node-command.ts';
import { sessionText } from '../../output/session-text.ts';
import { sessionWords } from '../../sessions/session-request.ts';

export const sessionShowCommand = nodeCommand({
  usage: 'baton session show SESSION [--json]',
  about:
    'Shows a session: its tasks, their states, what they wait for, and the cost. SESSION is its id, words of its id or name, or @ for the newest.',
  examples: ['baton session show @', 'baton session show night --json'],
  flags: {},
  plan(call) {
    const session = sessionWords(call, 'show');
    return async (client) =>
      answerOf(await client.showSession({ session }), {
        say: sessionText,
      });
  },
});
