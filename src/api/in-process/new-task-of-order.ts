import type { TakenOrder } from '../../dispatch/take-order.ts';
import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import { TASK_TITLE_CHARACTERS_MAX } from '../../domain/limits.ts';
import type { NewTask } from '../../operations/create-task.ts';

const TITLE_CHARACTERS = 80;

/** The task that stands for an order: D-A4 does not hold for it, its checks decide. */
export function newTaskOf({ order, depth, dependsOn, admitted }: TakenOrder, reviewRequired: boolean): NewTask {
  return {
    title: titleOf(order.objective),
    body: order.objective,
    priority: order.priority,
    agent: admitted.agent ?? admitted.alternatives.find((name) => name !== null) ?? null,
    role: null,
    team: null,
    tags: [],
    resource: null,
    parentId: null,
    dependsOn,
    metadata: { reviewRequired, ...(depth > 0 && { delegationDepth: depth }) },
    createdBy: OPERATOR,
  };
}

/** The first line that says something. */
export function titleOf(objective: string): string {
  const lines = objective.split(/\r?\n/).map((line) => line.replace(/^[#>*\s-]+/, '').trim());
  const first =
    lines.find((line) => line !== '' && !line.startsWith('@demo')) ?? lines.find((line) => line !== '') ?? 'a task';
  const characters = [...first];
  const short = characters.length > TITLE_CHARACTERS ? `${characters.slice(0, TITLE_CHARACTERS - 1).join('')}…` : first;
  return short.slice(0, TASK_TITLE_CHARACTERS_MAX);
}
