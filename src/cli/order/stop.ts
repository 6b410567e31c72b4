import type { TaskView } from '../../api/task/task-view.ts';
import { isDataFolderNamed, loadAgentEndpoint } from '../../config/load.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { callOptions, folderFlagOf, shellWord, taskWords } from '../call-parts.ts';
import { type Answer, type Call, type CliCommand, flagText, UsageError } from '../command.ts';
import { everyFolder } from '../node/every-folder.ts';
import { nodeCommand } from '../node/node-command.ts';
import { foldLines, line, nextLine } from '../output/lines.ts';
import { nextSteps } from '../output/next-steps.ts';
import type { Style } from '../output/style.ts';
import { visible } from '../output/visible.ts';
import { taskTitle } from '../task/task-page.ts';
import { type FolderStop, stopAll, stopEverywhere } from './stop-all.ts';
import { type StopEnd, waitStopped } from './wait-stopped.ts';

const EXIT_STILL_RUNNING = 1;

const inOneFolder = nodeCommand({
  usage: 'baton stop TASK | --all [--json]',
  about: [
    'Stops the agent of a task: it is asked to stop, and killed after 5 seconds. Its work so far stays in the files. Returns when it',
    'has stopped; after 10 seconds it says what is still running, and exits with 1. With --all: every running and waiting task, and',
    'every session, in all data folders of yours; --data or BATON_DATA names one of them.',
  ].join(' '),
  examples: ['baton stop @', 'baton stop --all'],
  flags: { all: { takes: 'nothing', help: 'everything that runs or waits, in every data folder of this user' } },
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
      return answerOfCall(reference !== null && only ? only : { stopped: tasks }, {
        say: (_, style) => stoppedText(ends, style, folderFlagOf(call)),
        touched: () => tasks.map(({ id }) => id),
        exitCode: () => (tasks.every(({ isStopped }) => isStopped) ? 0 : EXIT_STILL_RUNNING),
      });
    };
  },
});

export const stopCommand: CliCommand = {
  ...inOneFolder,
  run: async (call) => (isEverywhere(call) ? await inEveryFolder(call) : await inOneFolder.run(call)),
};

/** An agent's own call goes to its node alone. */
function isEverywhere(call: Call): boolean {
  const named = flagText(call, 'data');
  return referenceOf(call) === null && !isDataFolderNamed(named) && loadAgentEndpoint(named) === null;
}

async function inEveryFolder(call: Call): Promise<Answer<unknown>> {
  const folders = await stopEverywhere(call, everyFolder(call, 'stop'));
  const tasks = folders.flatMap(({ data, ends }) => ends.map(({ task }) => ({ ...task, data })));
  const faults = folders.flatMap(({ data, fault }) => (fault ? [{ data, ...fault }] : []));
  const isDone = faults.length === 0 && tasks.every(({ isStopped }) => isStopped);
  return {
    values: [{ stopped: tasks, ...(faults.length > 0 && { faults }) }],
    human: (_, style) => everywhereText(folders, style),
    exitCode: () => (isDone ? 0 : EXIT_STILL_RUNNING),
  };
}

function everywhereText(folders: readonly FolderStop[], style: Style): string {
  const parts = folders.flatMap(({ data, ends, fault }) => {
    const heading = style.strong(visible(data));
    if (fault) return [`${heading}\n  ${style.bad('cannot be read')}: ${visible(fault.message)} (${fault.code})`];
    return ends.length === 0 ? [] : [`${heading}\n${stoppedText(ends, style, ` --data ${shellWord(data)}`)}`];
  });
  return parts.length === 0 ? 'nothing is running' : parts.join('\n');
}

function listOf(task: TaskView | Refusal): readonly TaskView[] | Refusal {
  return isRefusal(task) ? task : [task];
}

function referenceOf(call: Call): string | null {
  if (!call.flags.all) return taskWords(call, 'stop');
  if (call.words.length > 0) throw new UsageError('stop: both a task and --all', 'give one of them');
  return null;
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
