import { lstatSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Repository } from '../../domain/work/repository.ts';
import { changedInTrees, type FileChange } from '../diff-shadows.ts';
import { commitChanges, type TreeChange } from './commit-changes.ts';
import { nameCommit, noteCommit } from './object-store.ts';
import { openPrivateRepository, type ShadowPlace, usingStore } from './private-repository.ts';
import { inStagingArea } from './staging-area.ts';
import type { Shadow } from './take-shadow.ts';

interface LaterQuestion {
  readonly shadow: Shadow;
  /** The commit from before the work. */
  readonly before: string;
  /** The last sign of life of the work, in milliseconds since 1970. */
  readonly untilMs: number;
  readonly label: string;
  readonly atMs: number;
}

/**
 * The shadow without files that changed after the work had ended: they keep their version from before it, as a person changed
 * them meanwhile. Returns the paths of those too.
 */
export async function leaveOutLater(
  place: ShadowPlace,
  { shadow, before, untilMs, label, atMs }: LaterQuestion,
): Promise<{ readonly shadow: Shadow; readonly later: readonly string[] }> {
  const own = await openPrivateRepository(place);
  const changes = await changedInTrees(own.place, { before, after: shadow.commit });
  const later = changes.filter(({ name }) => changedAt(place.root, name) > untilMs);
  if (later.length === 0) return { shadow, later: [] };
  return usingStore(place, `index of ${place.root}`, async () => {
    const request = { tree: shadow.tree, changes: later.map(asBefore), parent: null, atMs, label };
    const made = await inStagingArea(own, (into) => commitChanges(into, request));
    noteCommit(own.store, made);
    nameCommit(own.store, { ref: shadow.ref, commit: made.commit, modes: shadow.modes });
    return {
      shadow: { ...shadow, ...made, gitHash: async () => made.commit, changed: null },
      later: later.map(({ path }) => path),
    };
  });
}

function asBefore({ name, before }: FileChange): TreeChange {
  return before ? { kind: 'object', name, ...before } : { kind: 'removed', name };
}

/** Whether something of git itself changed later: branches, HEAD, index or stash. */
export function isGitLater({ gitDir, commonDir }: Repository, untilMs: number): boolean {
  const shared = ['packed-refs', 'refs/heads', 'refs/tags', 'refs/stash', 'logs/refs/heads', 'logs/refs/stash'];
  const paths = ['HEAD', 'index', 'logs/HEAD'].map((name) => join(gitDir, name));
  const times = [...paths, ...shared.map((name) => join(commonDir, name))].map((path) => timeOf(statsOf(path)));
  return times.some((time) => time > untilMs);
}

/** When a file below a root changed; of a file that is gone, when its folder did. */
export function changedAt(root: string, name: Buffer | string): number {
  const stats = statsOf(Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name)]));
  if (stats) return timeOf(stats);
  const folder = dirname(String(name));
  return folder === '.' ? timeOf(statsOf(root)) : changedAt(root, folder);
}

function statsOf(path: string | Buffer): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    // Gone, or below something that is no folder.
    return null;
  }
}

/** A copy may keep the time of its content, but not that of its entry. */
function timeOf(stats: Stats | null): number {
  return stats ? Math.max(stats.mtimeMs, stats.ctimeMs) : 0;
}
