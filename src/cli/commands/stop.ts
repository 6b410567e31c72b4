import type { NodeClient } from '../../api/node-client.ts';
import type { TaskView } from '../../api/task-view.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { answerOf, refused } from '../answer-of-call.ts';
import { callOptions, folderFlagOf, taskWords } from '../call-parts.ts';
import { type Call, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { type StopEnd, waitStopped } from '../orders/wait-stopped.ts';
import { foldLines, line, nextLine } from '../output/lines.ts';
import { nextSteps } from '../output/next-steps.ts';
import type { Style } from '../output/style.ts';
import { taskTitle } from '../output/task-page.ts';

const EXIT_STILL_RUNNING = 1;

export const stopCommand = nodeCommand({
  usage: 'baton stop TASK | --all [--json]',
  about: [
    'Stops the agent of a task: it is asked to stop, and killed after 5 seconds. Its work so far stays in the files. Returns when it',
    'has stopped; after 10 seconds it says what is still running, and exits with 1.',
  ].join(' '),
  examples: ['baton stop @', 'baton stop --all'],
  flags: { all: { takes: 'nothing', help: 'every running and waiting task' } },
  plan(call) {
    const reference = referenceOf(call);
    const options = callOptions(call);
    return async (client) => {
      const asked =
        reference === null ? await stopAll(client) : listOf(await client.stopOrder({ task: reference }, options));
      if (isRefusal(asked)) return refused(asked);
      const ends = await waitStopped(client, asked);
      const tasks = ends.map(({ task }) => task);
      const [only] = tasks;
      return answerOf(reference !== null && only ? only : { stopped: tasks }, {
        say: (_, style) => stoppedText(ends, style, folderFlagOf(call)),
        touched: () => tasks.map(({ id }) => id),
        exitCode: () => (tasks.every(({ isStopped }) => isStopped) ? 0 : EXIT_STILL_RUNNING),
      });
    };
  },
});

function listOf(task: TaskView | Refusal): readonly TaskView[] | Refusal {
  return isRefusal(task) ? task : [task];
}

function referenceOf(call: Call): string | null {
  if (!call.flags.all) return taskWords(call, 'stop');
  if (call.words.length > 0) throw new UsageError('stop: both a task and --all', 'give one of them');
  return null;
}

/** Waiting tasks first: a free slot must not start one of them meanwhile. A status shows some of many, so it is asked for again. */
async function stopAll(client: NodeClient): Promise<readonly TaskView[] | Refusal> {
  const asked = new Map<string, TaskView>();
  const seen = new Set<string>();
  for (;;) {
    const status = await client.status();
    if (isRefusal(status)) return status;
    const news = [...status.waiting, ...status.running].filter(({ id }) => !seen.has(id));
    if (news.length === 0) return [...asked.values()];
    for (const { id } of news) {
      seen.add(id);
      const task = await client.stopOrder({ task: id });
      // Claimed by hand, or over by now: there is nothing to stop.
      if (!isRefusal(task)) asked.set(id, task);
    }
  }
}

function stoppedText(ends: readonly StopEnd[], style: Style, folderFlag: string): string {
  if (ends.length === 0) return 'nothing is running';
  const lines = ends.flatMap(({ task, report }) =>
    report === null
      ? [
          line(taskTitle(task, style), `${style.open('still stopping')} `),
          nextLine(`baton task show ${task.id}${folderFlag}`),
        ]
      : [line(taskTitle(task, style), 'stopped '), ...nextSteps(report, style, folderFlag)],
  );
  return foldLines(lines, style.columns);
}
