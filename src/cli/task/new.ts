import type { NewTaskRequest } from '../../api/requests.ts';
import { TASK_BODY_BYTES_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { callOptions, folderFlagOf, priorityOf, refuseWordsBeside } from '../call-parts.ts';
import { type Answer, type Call, type CliCommand, flagText, flagTexts, UsageError } from '../command.ts';
import { type NodeCall, nodeCommand } from '../node/node-command.ts';
import { REMOTE_FLAGS, receiverFlags } from '../order/read-order-request.ts';
import { textOrInput } from '../read-input.ts';
import { taskTitle } from './task-page.ts';

const create = nodeCommand({
  usage: 'baton task new TITLE… [--body TEXT] [--agent NAME] [--priority PRIORITY] [--json]',
  about: [
    'Creates a task. It stays in backlog until baton run TASK, a node or a claim takes it; with --run it starts at once.',
    'The title is one line; everything else goes into the body, as Markdown.',
  ].join(' '),
  examples: [
    'baton task new "Write the README"',
    'baton task new --title "Fix the login" --agent emma --priority high --body - < notes.md',
    'baton task new "Test the login" --depends-on @ --no-review',
  ],
  creates: true,
  flags: {
    title: { takes: 'value', shows: 'TEXT', help: 'the title, instead of arguments' },
    body: { takes: 'value', shows: 'TEXT', help: 'what to do, as Markdown; - reads standard input' },
    agent: { takes: 'value', shows: 'NAME', help: 'the agent that should do it; auto chooses by earlier results' },
    priority: { takes: 'value', shows: 'PRIORITY', help: 'critical, high, normal or low' },
    parent: { takes: 'value', shows: 'TASK', help: 'the parent task' },
    'depends-on': { takes: 'values', shows: 'TASK', help: 'a task that must be done first; repeatable' },
    resource: { takes: 'value', shows: 'NAME', help: 'a resource that only one running task may hold' },
    tag: { takes: 'values', shows: 'WORD', help: 'a tag; repeatable' },
    check: { takes: 'values', shows: 'COMMAND', help: 'a command that must pass afterwards; repeatable' },
    ...REMOTE_FLAGS,
    run: { takes: 'nothing', help: 'run it at once, as baton run does' },
    yes: { takes: 'nothing', short: 'y', help: 'with --run: answer yes to every question' },
    'no-review': { takes: 'nothing', help: 'no review: done as soon as its agent reports done' },
  },
  async plan(call) {
    const request = await requestOf(call);
    const options = callOptions(call);
    return async (client) => {
      const created = await client.createTask(request, options);
      const next = isRefusal(created) ? null : await nextFor(client, created, folderFlagOf(call));
      return answerOfCall(created, {
        say: (task, style) => `created ${taskTitle(task, style)}`,
        touched: (task) => [task.id],
        next: () => next,
      });
    };
  },
});

export const taskNewCommand: CliCommand = {
  ...create,
  run: async (call) => (call.flags.run ? await createAndRun(call) : await create.run(call)),
};

type Client = Parameters<NodeCall>[0];
type CreatedTask = Exclude<Awaited<ReturnType<Client['createTask']>>, Refusal>;

/** An agent that is not configured here claims the task itself. */
async function nextFor(client: Client, { id, agent }: CreatedTask, folderFlag: string): Promise<string> {
  const detail = await client.showTask({ task: id });
  const isElsewhere = !isRefusal(detail) && detail.missingAgent !== null;
  if (isElsewhere) return `next: baton task claim ${id} --agent ${agent}`;
  return `next: baton run ${id}${folderFlag}  have an agent do it now`;
}

async function createAndRun(call: Call): Promise<Answer<unknown>> {
  const request = await requestOf(call);
  const options = callOptions(call);
  const [{ openOrderNode }, { carryTask }] = await Promise.all([
    import('../order/order-node.ts'),
    import('../order/run-stored-task.ts'),
  ]);
  const node = await openOrderNode(call, process.cwd());
  return await carryTask(call, node, (client) => client.createTask(request, options));
}

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
    checks: [...(flagTexts(call, 'check') ?? [])],
    dependsOn: flagTexts(call, 'depends-on') ?? [],
    ...receiverFlags(call),
    ...(call.flags['no-review'] ? { reviewRequired: false } : {}),
  };
}
