import { assertNever } from '../../domain/assert-never.ts';
import { type StopOutcome, stopNode } from '../../node/client/stop-node.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { seenFolderOf } from '../call-folder.ts';
import { type CliCommand, UsageError } from '../command.ts';
import { type DownAnswer, downText } from './node-text.ts';

export const downCommand: CliCommand = {
  usage: 'baton down [--json]',
  about: [
    'Stops the node of the data folder: it accepts nothing new, finishes what it has accepted, and exits. It ends running',
    'agents; their orders continue at the next start. Commands work the same without it.',
  ].join(' '),
  examples: ['baton down', 'baton down --data ~/work/baton'],
  ignores: ['key'],
  flags: {},
  async run(call) {
    if (call.words.length > 0) throw new UsageError('down: takes no arguments', 'baton down --data FOLDER');
    const data = seenFolderOf(call);
    return answerOfCall(answerFor(await stopNode(data), data), { say: downText });
  },
};

function answerFor(outcome: StopOutcome, data: string): DownAnswer {
  switch (outcome.kind) {
    case 'stopped':
      return { data, stopped: true, pid: outcome.node.pid, agentsEnded: outcome.agentsEnded };
    case 'none':
    case 'short-holder':
      return { data, stopped: false, pid: null, agentsEnded: 0 };
    case 'late':
      throw new UsageError(
        `the node (process ${outcome.node.pid}) was asked to stop and is still running`,
        `wait, or: kill -9 ${outcome.node.pid}; nothing that was acknowledged is lost`,
        'node_not_stopped',
      );
    case 'silent':
      throw new UsageError(
        `process ${outcome.node.pid} does not answer as the node of ${data}; it was not stopped`,
        `check the process: ps ${outcome.node.pid}`,
        'node_not_answering',
      );
    default:
      return assertNever(outcome);
  }
}
