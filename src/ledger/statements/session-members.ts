import type { ModelUsage } from '../../domain/agent/model-spend.ts';
import type { SessionMember } from '../../domain/session/session-report.ts';
import { delegationDepth, type TaskName } from '../../domain/task/task.ts';
import type { TaskStatus } from '../../domain/task/task-lifecycle.ts';
import type { WorkState } from '../../domain/work/work-state.ts';
import type { Reader } from '../tx.ts';
import { reportColumns, selectSessionSpend, toOrderEnd } from './reports.ts';

const MEMBERS = `SELECT session_tasks.sender_task_id, tasks.id, tasks.title, tasks.status, tasks.agent, tasks.parent_id,
    tasks.depends_on, tasks.metadata, (SELECT count(*) FROM runs WHERE runs.task_id = tasks.id), orders.round, orders.is_open,
    tasks.work, ${reportColumns('reports')}
  FROM session_tasks JOIN tasks ON tasks.id = session_tasks.task_id
  JOIN orders ON orders.task_id = tasks.id AND orders.round = (SELECT max(round) FROM orders AS newest WHERE newest.task_id = tasks.id)
  LEFT JOIN reports ON reports.task_id = tasks.id AND reports.round = orders.round
  WHERE session_tasks.session_id = ? ORDER BY session_tasks.number`;

/** The tasks of a session in the order of its file, those that joined later after them. */
export function selectMembers(tx: Reader, sessionId: string): SessionMember[] {
  const rows = tx.tuples(MEMBERS, sessionId);
  const memberOf = new Map(rows.map(([member, taskId]) => [taskId as string, member as string]));
  const earlier = earlierSpends(tx, sessionId, new Map(rows.map((row) => [row[1] as string, row[9] as number])));
  return rows.map((row, at) => {
    const [id, task, title, status, agent, parent, dependsOn, metadata, runs, round, isOpen, work] = row;
    const end = isOpen === 1 || row[12] === null ? null : toOrderEnd(row, 12);
    const named = (taskId: string) => memberOf.get(taskId) ?? taskId;
    return {
      id: id as string,
      task: task as TaskName,
      title: title as string,
      status: status as TaskStatus,
      agent: end?.agent ?? (agent as string | null),
      parent: parent === null ? null : named(parent as string),
      depth: delegationDepth({ metadata: JSON.parse(metadata as string) as Record<string, unknown> }),
      after: (JSON.parse(dependsOn as string) as string[]).map(named),
      runs: runs as number,
      round: round as number,
      work: work as WorkState | null,
      end,
      // The first member counts what was spent on a task that no member has any more.
      earlierSpend: [...(earlier.get(task as string) ?? []), ...(at === 0 ? (earlier.get('') ?? []) : [])],
    };
  });
}

/** The spend of all but the newest order of each task, by task; under '' that of tasks which are replaced by now. */
function earlierSpends(tx: Reader, sessionId: string, newest: ReadonlyMap<string, number>): Map<string, ModelUsage[]> {
  const spends = new Map<string, ModelUsage[]>();
  for (const { taskId, round, spend } of selectSessionSpend(tx, sessionId)) {
    if (newest.get(taskId) === round) continue;
    const key = newest.has(taskId) ? taskId : '';
    spends.set(key, [...(spends.get(key) ?? []), ...spend]);
  }
  return spends;
}
