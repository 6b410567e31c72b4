import type { NodeClient } from '../../api/node-client.ts';
import type { SessionView } from '../../api/session/session-contract.ts';
import { STOP_WAIT_MS_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { systemClock } from '../../platform/clock.ts';
import { systemTimer } from '../../platform/timer.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { callOptions, folderFlagOf } from '../call-parts.ts';
import { nodeCommand } from '../node/node-command.ts';
import { sessionWords } from './read-session-request.ts';
import { sessionText } from './session-text.ts';

const LOOK_MS = 50;
const EXIT_STILL_RUNNING = 1;

export const sessionStopCommand = nodeCommand({
  usage: 'baton session stop SESSION [--json]',
  about: [
    'Stops a session: tasks that wait are aborted, and running agents are asked to stop, and killed after 5 seconds. The work so far stays.',
    'Returns when all have stopped; after 10 seconds it says what is still running, and exits with 1.',
  ].join(' '),
  examples: ['baton session stop @'],
  flags: {},
  plan(call) {
    const session = sessionWords(call, 'stop');
    const options = callOptions(call);
    return async (client) => {
      const asked = await client.stopSession({ session }, options);
      const stopped = isRefusal(asked) ? asked : await waitStopped(client, asked);
      return answerOfCall(stopped, {
        say: (view, style) => sessionText(view, style, folderFlagOf(call)),
        next: ({ session_id: id, final_signal: signal }) =>
          signal === null ? null : `next: baton session continue ${id}${folderFlagOf(call)}`,
        exitCode: ({ final_signal: signal }) => (signal === null ? EXIT_STILL_RUNNING : 0),
      });
    };
  },
});

async function waitStopped(client: NodeClient, asked: SessionView): Promise<SessionView | Refusal> {
  const clock = systemClock();
  const startedMs = clock.now().monotonicMs;
  const session = asked.session_id;
  for (let view: SessionView | Refusal = asked; ; view = await client.showSession({ session })) {
    if (isRefusal(view) || view.final_signal !== null) return view;
    if (clock.now().monotonicMs - startedMs > STOP_WAIT_MS_MAX) return view;
    await systemTimer().pause(LOOK_MS);
  }
}
