import type { TaskView } from '../../../src/api/task/task-view.ts';

export type Status = TaskView['status'];

export interface Column {
  readonly title: string;
  /** The first is the one that a task dropped here moves to. */
  readonly statuses: readonly Status[];
}

/** Left to right as work goes; what is stuck stands beside what it came from. */
export const COLUMNS: readonly Column[] = [
  { title: 'Backlog', statuses: ['backlog'] },
  { title: 'Ready', statuses: ['ready'] },
  { title: 'In progress', statuses: ['in-progress'] },
  { title: 'Blocked', statuses: ['blocked', 'deadletter'] },
  { title: 'Review', statuses: ['review'] },
  { title: 'Over', statuses: ['done', 'cancelled'] },
];
