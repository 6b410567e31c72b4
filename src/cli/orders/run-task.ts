import type { TaskDetail } from '../../api/contract.ts';
import type { NodeClient } from '../../api/node-client.ts';
import type { TaskView } from '../../api/task-view.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { refused } from '../answers.ts';
import { type Answer, type Call, flagText, flagTexts, UsageError } from '../command.ts';
import { refuseNothingStored } from '../node/open-client.ts';
import { type Followed, followToEnd } from './follow-to-end.ts';
import { planTask } from './plan-task.ts';
import { presentEnd, refuseRun, toReady } from './ready-task.ts';
import { openRunNode } from './run-node.ts';
import type { CarryingNode } from './serve-run.ts';

const FOR_WORDS = [
  'workspace',
  'timeout',
  'retries',
  'budget',
  'net',
  'allow',
  'worktree',
  'review',
  'detach',
  'dry-run',
];

/** Carries out a task that is there, in the foreground, as `baton run` does with words. */
export async function runTask(call: Call, reference: string): Promise<Answer<unknown>> {
  const flag = FOR_WORDS.find((name) => call.flags[name] !== undefined && call.flags[name] !== false);
  if (flag !== undefined) {
    throw new UsageError(`run: --${flag} is for a new task, not for ${reference}`, `baton run ${reference}`);
  }
  const nothing = await refuseNothingStored(call, reference);
  if (nothing) return refused(nothing);
  return await carryTask(call, await openRunNode(call, process.cwd()), (client) =>
    client.showTask({ task: reference }),
  );
}

/** The same for a task that `find` finds or creates at the node. */
export async function carryTask(
  call: Call,
  node: CarryingNode,
  find: (client: NodeClient) => Promise<TaskView | Refusal>,
): Promise<Answer<unknown>> {
  try {
    const found = await find(node.client);
    const begun = isRefusal(found) ? found : await begin(call, node.client, found.id);
    if (!isRefusal(begun)) return followToEnd(call, node, begun);
    const finish = async () => {
      await node.close();
      return null;
    };
    return { ...refused(begun), finish };
  } catch (error) {
    await node.close();
    throw error;
  }
}

async function begin(call: Call, client: NodeClient, task: string): Promise<Followed | Refusal> {
  const detail = await client.showTask({ task });
  if (isRefusal(detail)) return detail;
  const refusal = await refuseRun(client, detail);
  if (refusal) return refusal;
  const { isOrdered, isOpen, ...from } = await presentEnd(client, task);
  if (detail.status === 'ready' && isOpen && detail.quota !== null) {
    return { task: detail, plan: null, isPlanShown: true, quota: detail.quota, from };
  }
  if (isOrdered) return await again(call, client, { detail, from });
  const planned = await planTask(call, client, detail);
  if (isRefusal(planned)) return planned;
  const { agent, checks } = planned;
  const edited = await client.editTask({ task, agent, ...(checks.length > 0 && { checks }) });
  if (isRefusal(edited)) return edited;
  const ready = await toReady(client, edited);
  return isRefusal(ready) ? ready : { task: ready, ...planned, from };
}

interface Begun {
  readonly detail: TaskDetail;
  readonly from: NonNullable<Followed['from']>;
}

/** Another round of the same order, or the rest of this one. */
async function again(call: Call, client: NodeClient, { detail, from }: Begun): Promise<Followed | Refusal> {
  if (flagText(call, 'agent') !== undefined || flagTexts(call, 'check') !== undefined) {
    const message = `${detail.id} has run before, and its next round has the same agent and checks`;
    return {
      ...refuse('invalid_argument', message),
      hint: `baton run ${detail.id}, or baton continue ${detail.id} with another agent or other checks`,
    };
  }
  const task = await toReady(client, detail);
  if (isRefusal(task)) return task;
  // A task that is done stays so, and a new one goes on with it.
  return { task, plan: null, isPlanShown: true, ...(task.id === detail.id && { from }) };
}
