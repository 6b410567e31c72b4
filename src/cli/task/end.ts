import { loadRun } from '../../config/load.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { agentFlag, callOptions, taskWords } from '../call-parts.ts';
import { flagText } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { endText } from './task-page.ts';

export const taskEndCommand = nodeCommand({
  usage: 'baton task end TASK --agent NAME [--run RUN] [--json]',
  about: [
    'Ends the claim of an agent on its task. The last report of the agent decides the next status; without a report the',
    'task is ready for another agent.',
  ].join(' '),
  examples: ['baton task end 57 --agent emma', 'baton task end 57 --agent emma --run run_01KGQ7M3XVN5Y8T2B4C6D8F0G1'],
  flags: {
    agent: { takes: 'value', shows: 'NAME', help: 'the agent that held it' },
    run: { takes: 'value', shows: 'RUN', help: 'refuse unless this run still holds it (also: BATON_RUN)' },
  },
  plan(call) {
    const agent = agentFlag(call, 'task end');
    const task = taskWords(call, 'task end');
    const run = loadRun(flagText(call, 'run'));
    const options = callOptions(call);
    return async (client) =>
      answerOfCall(await client.endTask({ task, agent, run }, options), {
        say: endText,
        touched: (held) => [held.task.id],
      });
  },
});
