import { join } from 'node:path';
import type { IgnoredFindings } from '../../domain/execution/findings.ts';
import { isWithin } from '../../domain/path-text.ts';
import { findIgnoredChanges, type SavedPlace, saveIgnored } from '../../workspace/ignored/saved-ignored.ts';
import type { Shadow } from '../../workspace/shadow/take-shadow.ts';
import type { RunWorld } from '../run-world.ts';
import type { WorkFolder } from './work-folder.ts';

/** Saves ignored files before the work; null in a worktree, where they are the agent's own. */
export async function recordIgnored(
  world: RunWorld,
  folder: WorkFolder,
  shadow: Shadow | null,
): Promise<string | null> {
  const place = placeOf(world, folder, shadow);
  return place && (await saveIgnored(place));
}

/** Finds the ignored files that changed since a saved state. */
export async function ignoredAfter(
  world: RunWorld,
  folder: WorkFolder,
  { shadow, base }: { readonly shadow: Shadow; readonly base: string | undefined },
): Promise<IgnoredFindings> {
  const place = placeOf(world, folder, shadow);
  return place && base !== undefined ? await findIgnoredChanges(place, base) : {};
}

function placeOf(
  { dataFolder, clock }: RunWorld,
  { repository, shadows }: WorkFolder,
  shadow: Shadow | null,
): SavedPlace | null {
  if (shadow === null || repository === null || shadows?.root !== repository.root) return null;
  const { root } = repository;
  const isTheirs = (name: string) =>
    !isWithin(join(root, name.replace(/\/$/, '')), dataFolder) &&
    !isWithin(dataFolder, join(root, name)) &&
    !/^\.(aop_snapshots|baton-staging-)/.test(name);
  const names = shadow.ignored.map((name) => name.toString('latin1')).filter(isTheirs);
  return { root, dataFolder, names, atMs: clock.now().wallMs };
}
