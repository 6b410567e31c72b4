import { moveFolder } from './move-folder.ts';
import type { TaskPlan } from './plan-task.ts';
import type { TreeFiles } from './tree-files.ts';

/** In the order of the plan: a result of an old run is out of the way before the new run's file is there. */
export function performPlan(plan: TaskPlan, files: TreeFiles): void {
  for (const { from, to } of plan.folderMoves) moveFolder(files, from, to);
  for (const move of plan.moves) files.move(move);
  for (const folder of plan.folders) files.ensureFolder(folder);
  for (const write of plan.writes) files.write(write);
  for (const removal of plan.removals) files.remove(removal);
}
