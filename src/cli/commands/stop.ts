import type { NodeClient } from '../../api/node-client.ts';
import type { TaskView } from '../../api/task-view.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { answerOf } from '../answers.ts';
import { callOptions, taskWords } from '../call-parts.ts';
import { type Call, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { taskTitle } from '../output/task-text.ts';

export const stopCommand = nodeCommand({
  usage: 'baton stop TASK | --all [--json]',
  about:
    'Stops the agent of a task: it is asked to stop, and killed after 5 seconds. Its work so far stays in the files.',
  examples: ['baton stop @', 'baton stop --all'],
  flags: { all: { takes: 'nothing', help: 'every running and waiting task' } },
  plan(call) {
    const reference = referenceOf(call);
    const options = callOptions(call);
    if (reference === null) return async (client) => answerOf(await stopAll(client), { say: stoppedText });
    return async (client) =>
      answerOf(await client.stopOrder({ task: reference }, options), {
        say: (task, look) => `stopping ${taskTitle(task, look)}`,
        next: (task) => `next: baton diff ${task.id}, or baton undo ${task.id}`,
      });
  },
});

function referenceOf(call: Call): string | null {
  if (!call.flags.all) return taskWords(call, 'stop');
  if (call.words.length > 0) throw new UsageError('stop: both a task and --all', 'give one of them');
  return null;
}

interface Stopped {
  readonly stopped: readonly TaskView[];
}

async function stopAll(client: NodeClient): Promise<Stopped | Refusal> {
  const status = await client.status();
  if (isRefusal(status)) return status;
  const { running, waiting } = status;
  const stopped: TaskView[] = [];
  for (const { id } of [...running, ...waiting]) {
    const task = await client.stopOrder({ task: id });
    // Claimed by hand, or over by now: there is nothing to stop.
    if (!isRefusal(task)) stopped.push(task);
  }
  return { stopped };
}

function stoppedText({ stopped }: Stopped): string {
  return stopped.length === 0 ? 'nothing is running' : `stopping ${stopped.map(({ id }) => id).join(', ')}`;
}
