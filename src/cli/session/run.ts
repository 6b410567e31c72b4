import { callOptions } from '../call-parts.ts';
import type { CliCommand } from '../command.ts';
import { openOrderNode } from '../order/order-node.ts';
import { SESSION_FLAGS, sessionRequestOf } from './read-session-request.ts';

export const sessionRunCommand: CliCommand = {
  usage:
    'baton session run FILE | - [--agent NAME] [--check COMMAND]… [--budget USD] [--at-once N] [--dry-run] [--json]',
  about: [
    'Runs several tasks that belong together, and ends with a report about all. FILE is a JSON array or NDJSON of AOP TASKs with one',
    'session_id, or YAML: name, and tasks with name, words, agent, check, after. Baton accepts the whole file or rejects it. A task starts when',
    'those it waits for are completed; if one fails, those that wait for it are skipped. Ctrl-C stops the session and keeps the work.',
    'Exit: 0 all checked · 1 one failed · 3 partial or unchecked · 4 stopped or aborted · 2 not started.',
  ].join(' '),
  examples: [
    'baton session run night.yaml --budget 10 --at-once 3',
    'baton session run tasks.json --json',
    'baton session run night.yaml --dry-run',
  ],
  flags: {
    ...SESSION_FLAGS,
    detach: { takes: 'nothing', help: 'do not wait; follow it with baton session show' },
    'dry-run': { takes: 'nothing', help: 'show the graph and the maximum cost; create and start nothing' },
    yes: { takes: 'nothing', short: 'y', help: 'answer yes to every question' },
  },
  async run(call) {
    const asked = await sessionRequestOf(call);
    const options = callOptions(call);
    if (call.flags['dry-run']) return await (await import('./dry-run-session.ts')).dryRunSession(call, asked);
    const node = await openOrderNode(call, asked.workspace);
    const { carrySession } = await import('./carry-session.ts');
    return await carrySession(call, node, { asked, options });
  },
};
