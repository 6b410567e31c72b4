import type { NewTaskRequest } from '../../../api/requests.ts';
import { TASK_BODY_BYTES_MAX } from '../../../domain/limits.ts';
import { answerOf } from '../../answers.ts';
import { callOptions, priorityOf, refuseWordsBeside } from '../../call-parts.ts';
import { type Call, flagText, flagTexts, UsageError } from '../../command.ts';
import { nodeCommand } from '../../node/node-command.ts';
import { taskTitle } from '../../output/task-text.ts';
import { textOrInput } from '../../read-input.ts';

export const newCommand = nodeCommand({
  usage: 'baton task new TITLE… [--body TEXT] [--agent NAME] [--priority PRIORITY] [--json]',
  about: [
    'Creates a task. It stays in backlog until an agent claims it or you move it to ready.',
    'The title is one line; everything else goes into the body, as Markdown.',
  ].join('\n'),
  examples: [
    'baton task new "Write the README"',
    'baton task new --title "Fix the login" --agent emma --priority high --body - < notes.md',
    'baton task new "Test the login" --depends-on @ --no-review',
  ],
  creates: true,
  flags: {
    title: { takes: 'value', shows: 'TEXT', help: 'the title, instead of arguments' },
    body: { takes: 'value', shows: 'TEXT', help: 'what to do, as Markdown; - reads standard input' },
    agent: { takes: 'value', shows: 'NAME', help: 'the agent that should do it' },
    priority: { takes: 'value', shows: 'PRIORITY', help: 'critical, high, normal or low' },
    parent: { takes: 'value', shows: 'TASK', help: 'the parent task' },
    'depends-on': { takes: 'values', shows: 'TASK', help: 'a task that must be done first; repeatable' },
    resource: { takes: 'value', shows: 'NAME', help: 'a resource that only one running task may hold' },
    tag: { takes: 'values', shows: 'WORD', help: 'a tag; repeatable' },
    'no-review': { takes: 'nothing', help: 'no review: done as soon as its agent reports done' },
  },
  async plan(call) {
    const request = await requestOf(call);
    const options = callOptions(call);
    return async (client) =>
      answerOf(await client.createTask(request, options), {
        say: (task, look) => `created ${taskTitle(task, look)}`,
        touched: (task) => [task.id],
        next: (task) => `next: baton task claim ${task.id} --agent ${task.agent ?? 'NAME'}`,
      });
  },
});

async function requestOf(call: Call): Promise<NewTaskRequest> {
  refuseWordsBeside(call, 'title', 'task new');
  const title = flagText(call, 'title') ?? call.words.join(' ');
  if (title.trim() === '') throw new UsageError('task new: a task needs a title', 'baton task new "what to do"');
  const body = flagText(call, 'body');
  const priority = priorityOf(call);
  return {
    title,
    ...(body !== undefined && { body: await textOrInput(body, TASK_BODY_BYTES_MAX) }),
    ...(priority !== undefined && { priority }),
    agent: flagText(call, 'agent') ?? null,
    parent: flagText(call, 'parent') ?? null,
    resource: flagText(call, 'resource') ?? null,
    tags: flagTexts(call, 'tag') ?? [],
    dependsOn: flagTexts(call, 'depends-on') ?? [],
    ...(call.flags['no-review'] ? { reviewRequired: false } : {}),
  };
}
