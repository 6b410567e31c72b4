import type { NodeClient } from '../../api/node-client.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { ReopenRequest } from '../../domain/session/session-request.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { callOptions, folderFlagOf } from '../call-parts.ts';
import type { Call, CliCommand } from '../command.ts';
import { askNode, refuseNothingStored } from '../node/open-client.ts';
import { openOrderNode } from '../order/order-node.ts';
import { leave } from '../order/submit-order.ts';
import { detachedSessionText } from './carry-session.ts';
import { followSessionToEnd } from './follow-session-to-end.ts';
import { LIMIT_FLAGS, limitsOf, sessionWords } from './read-session-request.ts';

const EXITS = 'Exit codes are those of baton session run.';

export const sessionContinueCommand = reopenCommand('continue', [
  'Continues the tasks of a session that were not done, after a stop, a cap or a failure. Agents continue the work that they left;',
  `tasks that never started start now. ${EXITS}`,
]);

export const sessionRetryCommand = reopenCommand('retry', [
  'Starts the tasks of a session that failed, were aborted or skipped once more, from the beginning. Completed tasks stay as they are.',
  EXITS,
]);

/** Earlier rounds of the session are not shown again. */
async function lastEventOf(client: NodeClient, session: string): Promise<number> {
  for (let after = 0; ; ) {
    const page = await client.listEvents({ after, session });
    const last = isRefusal(page) ? undefined : page.events.at(-1)?.eventId;
    if (last === undefined) return after;
    after = last;
  }
}

/** Whether the node in the background that --detach starts continues the session by itself, because it was interrupted. */
async function isLeftToNode(call: Call, verb: 'continue' | 'retry', request: ReopenRequest): Promise<boolean> {
  const { session, ...limits } = request;
  if (!call.flags.detach || verb === 'retry' || Object.keys(limits).length > 0) return false;
  const found = await askNode(call, (client) => client.showSession({ session }));
  return !isRefusal(found) && found.is_interrupted;
}

function reopenCommand(verb: 'continue' | 'retry', about: readonly string[]): CliCommand {
  return {
    usage: `baton session ${verb} SESSION [--budget USD] [--deadline TIME] [--at-once N] [--detach] [--json]`,
    about: about.join(' '),
    examples: [`baton session ${verb} @`, `baton session ${verb} night --budget 20`],
    flags: { ...LIMIT_FLAGS, detach: { takes: 'nothing', help: 'do not wait; follow it with baton session show' } },
    async run(call) {
      const request = { session: sessionWords(call, verb), ...limitsOf(call) };
      const options = callOptions(call);
      const nothing = await refuseNothingStored(call, (client) => client.continueSession(request));
      if (nothing) return refused(nothing);
      const isLeft = await isLeftToNode(call, verb, request);
      const node = await openOrderNode(call, process.cwd());
      try {
        const { client } = node;
        const found = await client.showSession({ session: request.session });
        if (isRefusal(found)) return await leave(node, refused(found));
        const { session_id: session } = found;
        const after = await lastEventOf(client, session);
        const reopen = verb === 'retry' ? client.retrySession : client.continueSession;
        const view = isLeft ? await client.carrySession({ session }) : await reopen({ ...request, session }, options);
        if (isRefusal(view)) return await leave(node, refused(view));
        if (!call.flags.detach) return followSessionToEnd(call, node, { session, after });
        const next = () => detachedSessionText(session, folderFlagOf(call));
        return await leave(node, answerOfCall(view, { say: () => `session ${session} continues`, next }));
      } catch (error) {
        await node.close();
        throw error;
      }
    },
  };
}
