import { isRefusal } from '../refusal.ts';
import { isTakenBack } from '../work/work-state.ts';
import { decideRetry, decideRun, type RunnableTask } from './decide-run.ts';
import type { Task } from './task.ts';
import { canMove } from './task-lifecycle.ts';

/** Everything that an operator can do with a task and its work; each is a verb of the command line and a call of a node. */
export const TASK_ACTIONS = [
  'say',
  'stop',
  'approve',
  'return',
  'run',
  'retry',
  'continue',
  'apply',
  'discard',
  'undo',
  'verify',
  'cancel',
] as const;

export type TaskAction = (typeof TASK_ACTIONS)[number];

export interface ActionFacts extends RunnableTask {
  readonly agent: Task['routing']['agent'];
  /** Its order is not reported yet. */
  readonly isOpen: boolean;
  /** Tasks that it waits for have not released it. */
  readonly isHeldUp: boolean;
  /** The files that its work left changed. */
  readonly changedFiles: number;
}

/** The actions that a task allows now, for an operator. */
export function listActions(facts: ActionFacts): readonly TaskAction[] {
  return TASK_ACTIONS.filter((action) => ALLOWS[action](facts));
}

const ALLOWS: Readonly<Record<TaskAction, (facts: ActionFacts) => boolean>> = {
  say: ({ status }) => status === 'in-progress',
  stop: ({ isOpen }) => isOpen,
  approve: ({ status }) => status === 'review',
  return: ({ status }) => status === 'review',
  run: (facts) => !facts.isHeldUp && facts.agent !== null && !isRefusal(decideRun(facts)),
  retry: (facts) => !isRefusal(decideRetry(facts)),
  continue: ({ status, isOrdered, isOpen, work }) =>
    isOrdered && !isOpen && status !== 'in-progress' && work !== 'continued',
  apply: (facts) => hasWork(facts) && facts.work === 'waiting',
  discard: (facts) => hasWork(facts) && facts.work === 'waiting',
  undo: (facts) => hasWork(facts) && (facts.work === null || facts.work === 'applied'),
  verify: (facts) => hasWork(facts) && facts.work !== 'continued' && !isTakenBack(facts.work),
  cancel: ({ status }) => canMove(status, 'cancelled'),
};

function hasWork({ isOrdered, isOpen, changedFiles }: ActionFacts): boolean {
  return isOrdered && !isOpen && changedFiles > 0;
}
