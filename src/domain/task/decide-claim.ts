import { type Refusal, refuse, refuseTask } from '../refusal.ts';
import type { Task, TaskName } from './task.ts';
import type { TaskStatus } from './task-lifecycle.ts';

/** The reasons that keep a task from running. */
export interface Waits {
  readonly openDependencies: number;
  /** The task that holds the same resource now. */
  readonly resourceHolder: TaskName | null;
}

export interface ClaimFacts extends Waits {
  readonly agent: string;
}

export interface ClaimDecision {
  readonly kind: 'claim';
  /** The statuses to pass through, in order. */
  readonly moves: readonly TaskStatus[];
}

/** Whether this agent may claim this task now. */
export function decideClaim(task: Task, facts: ClaimFacts): ClaimDecision | Refusal {
  const { routing, id } = task;
  if (task.status === 'in-progress') return refuse('already_claimed', `${id} is held by another run`);
  if (task.status !== 'ready' && task.status !== 'backlog') {
    return refuseTask(
      'invalid_transition',
      `${id} is ${task.status}; only a task in backlog or ready can be claimed`,
      id,
    );
  }
  if (routing.agent !== null && routing.agent !== facts.agent) {
    return refuse('unauthorized_agent', `${id} is routed to ${routing.agent}, not to ${facts.agent}`);
  }
  const wait = refuseOpenDependencies(task, facts) ?? refuseBusyResource(task, facts);
  return wait ?? { kind: 'claim', moves: task.status === 'backlog' ? ['ready', 'in-progress'] : ['in-progress'] };
}

export function refuseOpenDependencies({ id }: Task, { openDependencies }: Waits): Refusal | null {
  if (openDependencies === 0) return null;
  return refuse('dependencies_open', `${id} waits for ${openDependencies} task(s) it depends on`);
}

/** Applies to everybody, operators included: two running tasks never hold the same resource. */
export function refuseBusyResource({ id, resource }: Task, { resourceHolder }: Waits): Refusal | null {
  if (resourceHolder === null) return null;
  return refuse('resource_busy', `${id} needs ${resource}, which ${resourceHolder} holds`);
}
