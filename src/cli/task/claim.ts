import { answerOfCall } from '../answer-of-call.ts';
import { agentFlag, callOptions, taskWords } from '../call-parts.ts';
import { nodeCommand } from '../node/node-command.ts';
import { claimText } from './task-page.ts';

export const taskClaimCommand = nodeCommand({
  usage: 'baton task claim TASK --agent NAME [--json]',
  about: [
    'Claims a task for an agent that Baton did not start. The task is then in progress, and nobody else can claim it.',
    'The agent must renew the claim at least every five minutes, with baton task beat or any message it sends.',
  ].join(' '),
  examples: ['baton task claim 57 --agent emma', 'baton task claim @ --agent emma --json'],
  flags: { agent: { takes: 'value', shows: 'NAME', help: 'the agent that claims it' } },
  plan(call) {
    const agent = agentFlag(call, 'task claim');
    const task = taskWords(call, 'task claim');
    const options = callOptions(call);
    return async (client) =>
      answerOfCall(await client.claimTask({ task, agent, run: null }, options), {
        say: claimText,
        touched: (held) => [held.task.id],
        next: ({ run, task: held }) =>
          `next: baton task beat ${held.id} --agent ${run.agent}; at the end baton task end ${held.id} --agent ${run.agent}`,
      });
  },
});
