/** aof:statuses. The order is the order of a task's life. */
export const TASK_STATUSES = [
  'backlog',
  'ready',
  'in-progress',
  'blocked',
  'review',
  'done',
  'cancelled',
  'deadletter',
] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

/** The one table of legal moves; docs/task-lifecycle.md draws it and a test compares the two. */
export const TASK_TRANSITIONS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  backlog: ['ready', 'blocked', 'cancelled'],
  ready: ['in-progress', 'blocked', 'deadletter', 'cancelled'],
  'in-progress': ['review', 'ready', 'blocked', 'deadletter', 'cancelled'],
  blocked: ['ready', 'review', 'deadletter', 'cancelled'],
  review: ['done', 'in-progress', 'blocked', 'cancelled'],
  done: [],
  cancelled: [],
  deadletter: ['ready', 'cancelled'],
};

export function canMove(from: TaskStatus, to: TaskStatus): boolean {
  return TASK_TRANSITIONS[from].includes(to);
}

/** The wanted moves that the table allows from here, in order, without moves to the same status. */
export function legalMoves(from: TaskStatus, wanted: readonly TaskStatus[]): TaskStatus[] {
  const moves: TaskStatus[] = [];
  let here = from;
  for (const to of wanted) {
    if (to === here || !canMove(here, to)) continue;
    moves.push(to);
    here = to;
  }
  return moves;
}

/**
 * The shortest legal way to a status; null where there is none. A task in progress has a run, so no way leads through
 * in-progress: a review is left by way of blocked.
 */
export function wayTo(from: TaskStatus, to: TaskStatus): readonly TaskStatus[] | null {
  const ways = new Map<TaskStatus, readonly TaskStatus[]>([[from, []]]);
  // A map also visits what is added while it is walked.
  for (const [here, way] of ways) {
    if (here === to) return way;
    if (here === 'in-progress' && here !== from) continue;
    for (const next of TASK_TRANSITIONS[here]) if (!ways.has(next)) ways.set(next, [...way, next]);
  }
  return null;
}

/** A status that nothing leads out of. */
export function isTerminal(status: TaskStatus): boolean {
  return TASK_TRANSITIONS[status].length === 0;
}

/** The statuses of a task that waits or is worked on; those that wait first. */
export const LIVE_STATUSES = ['backlog', 'ready', 'in-progress'] as const satisfies readonly TaskStatus[];

export function isLive(status: TaskStatus): boolean {
  return (LIVE_STATUSES as readonly TaskStatus[]).includes(status);
}

/** A task that nobody works on yet. */
export function isWaiting(status: TaskStatus): boolean {
  return status === 'backlog' || status === 'ready';
}
