import { join } from 'node:path';
import { gitGuards } from './git-guards.ts';
import { isHeldElsewhere, isPlaceholder, placePointer, realNameOf } from './placeholders.ts';

/** Placeholders in the repositories of a workspace that a killed run left there; those of a live sandbox are not among them. */
export function leftPointers(root: string): readonly string[] {
  // The repository of the workspace itself gets one in every run: without it there are none deeper.
  if (!isPlaceholder(join(root, '.git', 'commondir'))) return [];
  const { pointers } = gitGuards([{ from: root, at: root }]);
  return pointers.map(({ from }) => from).filter((path) => isPlaceholder(path) && !isHeldElsewhere(realNameOf(path)));
}

export function removeLeftPointers(root: string): void {
  for (const path of leftPointers(root)) placePointer(path)();
}
