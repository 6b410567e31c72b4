import type { Execution } from '../execution/execution.ts';
import { type Refusal, refuse, refuseTask } from '../refusal.ts';
import type { Task } from '../task/task.ts';
import { isLive, type TaskStatus } from '../task/task-lifecycle.ts';
import type { Point } from './point.ts';

/** A task whose work may be rewound. */
export interface RewindFacts {
  readonly task: Pick<Task, 'id' | 'work'>;
  /** Its order is not reported yet, or a run holds it. */
  readonly isOpen: boolean;
  /** The execution of its newest round. */
  readonly execution: Pick<Execution, 'cleanedAt' | 'workFacts'>;
  /** Null if the task has no such point. */
  readonly point: Point | null;
  /** The point as it was asked for. */
  readonly asked: string;
  /** The files of the point lie in a worktree. */
  readonly isInWorktree: boolean;
}

export interface RewindPlanned {
  readonly kind: 'rewind';
  readonly point: Point;
  /** The status of the task after it. */
  readonly to: TaskStatus;
}

/** Whether a task can be rewound to a point, and its status then. */
export function planRewind(facts: RewindFacts): RewindPlanned | Refusal {
  const { task, isOpen, execution, point, asked, isInWorktree } = facts;
  if (point === null) {
    return {
      ...refuseTask('point_not_found', `${task.id} has no point ${JSON.stringify(asked)}`, task.id),
      path: '/to',
    };
  }
  if (isOpen) {
    const refusal = refuse('already_claimed', `${task.id} is running`);
    return { ...refusal, hint: `baton stop ${task.id} ends it; its work so far stays` };
  }
  if (execution.cleanedAt !== null) {
    return refuseTask('work_removed', `the saved files of ${task.id} were removed by baton clean`, task.id);
  }
  const moved = isInWorktree ? refuseMovedOn(facts) : null;
  return moved ?? { kind: 'rewind', point, to: statusAfter(point.status) };
}

/** Work that left its worktree is not rewound there: whoever rewinds means the files that have it now. */
function refuseMovedOn({ task, execution }: RewindFacts): Refusal | null {
  const last = execution.workFacts.at(-1);
  switch (task.work) {
    case 'applied': {
      const refusal = refuse('invalid_argument', `the work of ${task.id} was applied to your files`);
      return { ...refusal, hint: `baton undo ${task.id} takes it out of them; then rewind its worktree` };
    }
    case 'discarded': {
      const refusal = refuse('invalid_argument', `the worktree of ${task.id} was discarded`);
      return { ...refusal, hint: `baton apply ${task.id} brings its last state into your files` };
    }
    case 'continued': {
      const later = last?.kind === 'continued' ? last.inTask : 'another task';
      const refusal = refuse('invalid_argument', `${later} continues in the worktree of ${task.id}`);
      return { ...refusal, hint: `baton rewind ${later} lists its points` };
    }
    default:
      return null;
  }
}

/**
 * A task that was waiting or running then does not start by itself: no run holds it any more, and the person who rewound it
 * decides how it continues.
 */
function statusAfter(then: TaskStatus): TaskStatus {
  return isLive(then) ? 'blocked' : then;
}
