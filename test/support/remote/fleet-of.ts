import type { Task } from '../../../src/domain/task/task.ts';
import { TaskFleet, type TaskNode } from './sim-tasks.ts';

/** A node `left` that asks, and others with agents; everybody knows everybody. */
export async function fleetOf(agents: Readonly<Record<string, readonly string[]>>) {
  const fleet = new TaskFleet();
  const left = await fleet.add('left', []);
  for (const [name, own] of Object.entries(agents)) await fleet.add(name, own);
  await fleet.pass(3_000);
  const node = (name: string) => fleet.nodes.get(name) as TaskNode;
  const isOver = ({ id }: Task) => left.rows('SELECT 1 FROM orders WHERE task_id = ? AND is_open = 0', id).length === 1;
  return { fleet, left, node, isOver };
}
