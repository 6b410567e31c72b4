import type { TaskPage } from '../../api/contract.ts';
import type { NodeClient } from '../../api/node-client.ts';
import type { TaskListRequest } from '../../api/requests.ts';
import type { TaskView } from '../../api/task/task-view.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { refused } from '../answer-of-call.ts';
import { statusNamed } from '../call-parts.ts';
import { type Call, flagText, UsageError } from '../command.ts';
import { type NodeAnswer, nodeCommand } from '../node/node-command.ts';
import { listSummary, taskLine } from './task-page.ts';

interface ListPlan {
  readonly request: TaskListRequest;
  readonly limit: number;
  /** Show people how many tasks the list leaves out. */
  readonly isSummedUp: boolean;
}

export const taskListCommand = nodeCommand({
  usage: 'baton task list [STATUS] [--agent NAME] [--parent TASK] [--all | --open] [--limit N] [--json]',
  about: [
    'Lists tasks, oldest first, without those that are done or cancelled, unless --all or their status is given.',
    '--json lists all of them, one task a line, unless --open is given.',
  ].join(' '),
  examples: [
    'baton task list',
    'baton task list review',
    'baton task list --agent emma --all',
    'baton task list --json',
  ],
  ignores: ['key'],
  flags: {
    status: { takes: 'value', shows: 'STATUS', help: 'only tasks with this status, instead of the argument' },
    agent: { takes: 'value', shows: 'NAME', help: 'only tasks of this agent' },
    parent: { takes: 'value', shows: 'TASK', help: 'only subtasks of this task' },
    all: { takes: 'nothing', help: 'include tasks that are done or cancelled' },
    open: { takes: 'nothing', help: 'leave out tasks that are done or cancelled' },
    limit: { takes: 'value', shows: 'N', help: 'at most N tasks' },
  },
  plan(call) {
    const plan = planOf(call);
    return async (client) => {
      const first = await client.listTasks(plan.request);
      if (isRefusal(first)) return refused(first);
      return await listAnswer(client, plan, first);
    };
  },
});

function planOf(call: Call): ListPlan {
  const [word, tooMany] = call.words;
  if (tooMany !== undefined)
    throw new UsageError(`task list: too many arguments: ${tooMany}`, 'baton task list STATUS');
  const status = flagText(call, 'status') ?? word;
  const agent = flagText(call, 'agent');
  const parent = flagText(call, 'parent');
  const isAll = Boolean(call.flags.all) || (Boolean(call.flags.json) && !call.flags.open);
  return {
    request: {
      all: isAll,
      ...(status !== undefined && { status: statusNamed(status) }),
      ...(agent !== undefined && { agent }),
      ...(parent !== undefined && { parent }),
    },
    limit: limitOf(flagText(call, 'limit')),
    isSummedUp: !call.flags.json,
  };
}

function limitOf(given: string | undefined): number {
  if (given === undefined) return Number.POSITIVE_INFINITY;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new UsageError(`--limit: ${JSON.stringify(given)} is not a number`, '--limit 20');
}

async function listAnswer(client: NodeClient, plan: ListPlan, first: TaskPage): Promise<NodeAnswer<TaskView>> {
  const status = plan.isSummedUp ? await client.status() : { counts: {} };
  const counts = isRefusal(status) ? {} : status.counts;
  const agentWidth = Math.max(1, ...first.tasks.map(({ agent }) => agent?.length ?? 0));
  let shown = 0;
  async function* values(): AsyncGenerator<TaskView> {
    for await (const page of pagesFrom(client, plan.request, first)) {
      for (const task of page.tasks) {
        if (shown >= plan.limit) return;
        shown++;
        yield task;
      }
    }
  }
  return {
    values: values(),
    human: (task, style) => taskLine(task, style, agentWidth),
    summary: () => listSummary(shown, counts, plan.request),
    exitCode: () => 0,
  };
}

async function* pagesFrom(client: NodeClient, request: TaskListRequest, first: TaskPage): AsyncGenerator<TaskPage> {
  let page: TaskPage | Refusal = first;
  while (!isRefusal(page)) {
    yield page;
    if (page.next === null) return;
    page = await client.listTasks({ ...request, after: page.next });
  }
}
