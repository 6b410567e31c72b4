import type { TaskEditRequest } from '../../api/requests.ts';
import { TASK_BODY_BYTES_MAX } from '../../domain/limits.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { callOptions, priorityOf, taskWords } from '../call-parts.ts';
import { type Call, flagText, flagTexts, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { textOrInput } from '../read-input.ts';
import { taskTitle } from './task-page.ts';

export const taskEditCommand = nodeCommand({
  usage: 'baton task edit TASK [--title TEXT] [--body TEXT] [--agent NAME] [--priority PRIORITY] [--json]',
  about: 'Changes a task; fields that are not named stay. An empty --agent or --resource removes the value.',
  examples: [
    'baton task edit 57 --priority critical --reason "customers wait"',
    'baton task edit @ --agent emma',
    'baton task edit 57 --body - < notes.md',
  ],
  flags: {
    title: { takes: 'value', shows: 'TEXT', help: 'the new title' },
    body: { takes: 'value', shows: 'TEXT', help: 'the new body; - reads standard input' },
    agent: { takes: 'value', shows: 'NAME', help: 'the agent that should do it' },
    priority: { takes: 'value', shows: 'PRIORITY', help: 'critical, high, normal or low' },
    resource: { takes: 'value', shows: 'NAME', help: 'a resource that only one running task may hold' },
    tag: { takes: 'values', shows: 'WORD', help: 'a tag; the tags given replace all others; repeatable' },
    review: { takes: 'nothing', help: 'require a review before it is done' },
    'no-review': { takes: 'nothing', help: 'require no review' },
    reason: { takes: 'value', shows: 'TEXT', help: 'why; stored with the change' },
  },
  async plan(call) {
    const task = taskWords(call, 'task edit');
    const change = await changeOf(call);
    const reason = flagText(call, 'reason') ?? null;
    const options = callOptions(call);
    return async (client) =>
      answerOfCall(await client.editTask({ task, ...change, reason }, options), {
        say: (edited, style) => `edited ${taskTitle(edited, style)}`,
        touched: ({ id }) => [id],
      });
  },
});

async function changeOf(call: Call): Promise<Omit<TaskEditRequest, 'task'>> {
  const title = flagText(call, 'title');
  const body = flagText(call, 'body');
  const agent = flagText(call, 'agent');
  const resource = flagText(call, 'resource');
  const tags = flagTexts(call, 'tag');
  const priority = priorityOf(call);
  const change = {
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body: await textOrInput(body, TASK_BODY_BYTES_MAX) }),
    ...(agent !== undefined && { agent: agent === '' ? null : agent }),
    ...(resource !== undefined && { resource: resource === '' ? null : resource }),
    ...(tags !== undefined && { tags: tags.filter((tag) => tag !== '') }),
    ...(priority !== undefined && { priority }),
    ...reviewOf(call),
  };
  if (Object.keys(change).length > 0) return change;
  throw new UsageError('task edit: nothing to change', 'baton task edit TASK --title "new title"');
}

function reviewOf({ flags }: Call): { readonly reviewRequired?: boolean } {
  if (flags.review && flags['no-review']) throw new UsageError('both --review and --no-review', 'give one of them');
  if (!flags.review && !flags['no-review']) return {};
  return { reviewRequired: Boolean(flags.review) };
}
