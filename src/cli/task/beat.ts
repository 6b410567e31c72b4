import { loadRun } from '../../config/load.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { agentFlag, callOptions, taskWords } from '../call-parts.ts';
import { flagText } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { beatText } from './task-page.ts';

export const taskBeatCommand = nodeCommand({
  usage: 'baton task beat TASK --agent NAME [--run RUN] [--json]',
  about: 'Renews the claim of an agent on its task. Without a heartbeat for five minutes the agent loses the task.',
  examples: ['baton task beat 57 --agent emma', 'baton task beat 57 --agent emma --run run_01KGQ7M3XVN5Y8T2B4C6D8F0G1'],
  flags: {
    agent: { takes: 'value', shows: 'NAME', help: 'the agent that holds it' },
    run: { takes: 'value', shows: 'RUN', help: 'refuse unless this run still holds it (also: BATON_RUN)' },
  },
  plan(call) {
    const agent = agentFlag(call, 'task beat');
    const task = taskWords(call, 'task beat');
    const run = loadRun(flagText(call, 'run'));
    callOptions(call);
    return async (client) =>
      answerOfCall(await client.beatTask({ task, agent, run }), { say: beatText, touched: (held) => [held.task.id] });
  },
});
