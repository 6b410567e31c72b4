import { join } from 'node:path';
import { leftPointers, removeLeftPointers } from '../agents/sandbox/bubblewrap/left-pointers.ts';
import { workspaceRoots } from '../workspace/shadow/kept-folders.ts';

/** Files `commondir` that killed runs of this data folder left in repositories. */
export function leftPlaceholders(dataFolder: string): readonly string[] {
  return rootsOf(dataFolder).flatMap(leftPointers);
}

/** A run removes its own; after a kill -9 the next node does. */
export function removeLeftPlaceholders(dataFolder: string): void {
  for (const root of rootsOf(dataFolder)) removeLeftPointers(root);
}

function rootsOf(dataFolder: string): readonly string[] {
  return workspaceRoots(join(dataFolder, 'shadows'));
}
