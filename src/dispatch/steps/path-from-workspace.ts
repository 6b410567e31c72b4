import { join, relative } from 'node:path';
import type { Order } from '../../domain/order.ts';
import { isWithin, wholePath } from '../../domain/path-text.ts';
import { realPathOf } from '../../workspace/resolve-path.ts';
import type { WorkFolder } from '../work-folder.ts';

/** Git tells paths from the top of the repository; an order's are read from its workspace, which may lie below. */
export function pathFromWorkspace(path: string, order: Order, { repository }: WorkFolder): string {
  if (repository === null) return path;
  const workspace = realPathOf(order.workspaceRoot, '/') ?? order.workspaceRoot;
  const whole = join(repository.root, path);
  const name = isWithin(workspace, whole) ? relative(workspace, whole) : whole;
  return nameOfOutput(name, whole, order) ?? name;
}

/** An output has the name that the order gave it, where that leads through a link. */
function nameOfOutput(name: string, realPath: string, order: Order): string | null {
  const paths = order.outputs.flatMap(({ path }) => path ?? []);
  const isNamed = (path: string) => wholePath(order.workspaceRoot, path) === wholePath(order.workspaceRoot, name);
  if (paths.some(isNamed)) return null;
  return paths.find((path) => realPathOf(path, order.workspaceRoot) === realPath) ?? null;
}
