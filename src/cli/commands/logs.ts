import type { NodeClient } from '../../api/node-client.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { onStopSignal } from '../../platform/own-process.ts';
import { systemTimer } from '../../platform/timer.ts';
import { refused } from '../answers.ts';
import { taskWords } from '../call-parts.ts';
import { type NodeAnswer, nodeCommand } from '../node/node-command.ts';
import { visibleLines } from '../output/visible.ts';

const LOOK_MS = 200;

interface LogPart {
  readonly task: string;
  readonly text: string;
  /** The check that printed it, where it is not the agent's output. */
  readonly check?: string;
}

export const logsCommand = nodeCommand({
  usage: 'baton logs TASK [-f] [--json]',
  about: [
    'Prints the output of the agents of a task, all its runs in order, and then the end of what each check printed that did',
    'not pass. Secrets that Baton knows are masked. -f keeps printing until the work is over or you press Ctrl-C.',
  ].join('\n'),
  examples: ['baton logs @', 'baton logs 57 -f'],
  ignores: ['key'],
  flags: { follow: { takes: 'nothing', short: 'f', help: 'keep printing new output' } },
  plan(call) {
    const reference = taskWords(call, 'logs');
    return async (client) => {
      const named = await client.showTask({ task: reference });
      if (isRefusal(named)) return refused(named);
      return logAnswer(client, named.id, Boolean(call.flags.follow));
    };
  },
});

function logAnswer(client: NodeClient, task: string, isFollowing: boolean): NodeAnswer<LogPart> {
  let isStopped = false;
  let isEmpty = true;
  const forget = isFollowing ? onStopSignal(leave) : () => {};
  function leave(): void {
    if (isStopped) process.exit(1);
    isStopped = true;
  }
  async function* values(): AsyncGenerator<LogPart> {
    for (let after = 0; !isStopped; ) {
      const page = await client.readLog({ task, after });
      if (isRefusal(page)) return;
      if (page.text !== '') yield { task, text: page.text };
      isEmpty &&= page.text === '';
      const isRest = page.next === after;
      after = page.next;
      if (isRest && (page.isEnd || !isFollowing)) break;
      if (isRest) await systemTimer().pause(LOOK_MS);
    }
    forget();
    if (!isStopped) yield* await failedChecks(client, task);
  }
  return {
    values: values(),
    human: ({ text }) => visibleLines(text.replace(/\n$/, '')),
    summary: () => (isEmpty ? `${task} has no output` : null),
    exitCode: () => 0,
  };
}

/** The checks that did not pass after the last attempt, each with the end of its output. */
async function failedChecks(client: NodeClient, task: string): Promise<readonly LogPart[]> {
  const report = await client.orderReport({ task });
  if (isRefusal(report)) return [];
  return report.failures.map(({ id, message, tail }) => {
    const heading = `--- check ${message.startsWith(id) ? message : `${id}: ${message}`}`;
    return { task, check: id, text: tail.trim() === '' ? heading : `${heading}\n${tail}` };
  });
}
