import { existsSync, lstatSync, realpathSync } from 'node:fs';
import type { KeptFile } from '../../domain/execution/findings.ts';
import type { SnapshotStrategy } from '../../domain/order/order.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { isWithin } from '../../domain/work/path-text.ts';
import { syncPath } from '../../platform/files/durable-files.ts';
import { holdFolderOf } from '../../platform/files/held-folder.ts';
import { copyEntry } from '../files/copy-file.ts';
import { WorkspaceFault } from '../workspace-fault.ts';
import { createStash, keptInStash, writeDiff } from './git-snapshots.ts';
import {
  keptFile,
  locate,
  rememberPlace,
  type SnapshotHome,
  snapshotName,
  type WantedSnapshot,
} from './snapshot-home.ts';

/**
 * Saves the outputs before the work begins, durably. Files that git cannot store byte for byte (an untracked file in a stash,
 * a file outside of the repository) are copied.
 */
export async function takeSnapshots(
  home: SnapshotHome,
  wanted: readonly WantedSnapshot[],
): Promise<readonly KeptFile[] | Refusal> {
  const kept: KeptFile[] = [];
  const takers = withTargets(
    home,
    wanted.filter(({ strategy }) => strategy !== 'none'),
  );
  const places = takers.map(({ snapshotPath }) => (snapshotPath === null ? null : snapshotName(home, snapshotPath)));
  const refused = places.find(isRefusal);
  if (refused) return refused;
  const stash = takers.some(({ strategy }) => strategy === 'git-stash') ? await createStash(home) : null;
  for (const [at, one] of takers.entries()) {
    const taken = await takeOne(home, one, { stash, name: places[at] as string | null });
    if (isRefusal(taken)) return taken;
    kept.push(taken);
  }
  if (kept.length > 0) syncPath(home.snapshotsFolder);
  return kept;
}

/** Adds the target of an output that is a link: writing the output writes the target. */
function withTargets(home: SnapshotHome, wanted: readonly WantedSnapshot[]): readonly WantedSnapshot[] {
  const places = new Set(wanted.map(({ path }) => locate(home, path)));
  const targets = wanted.flatMap(({ path, strategy }): WantedSnapshot[] => {
    const target = targetOf(locate(home, path));
    if (target === null || !isWithin(home.root, target) || places.has(target)) return [];
    places.add(target);
    return [{ path: home.workspaceRoot + target.slice(home.root.length), strategy, snapshotPath: null }];
  });
  return [...wanted, ...targets];
}

function targetOf(file: string | null): string | null {
  if (file === null || !lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() || !existsSync(file)) return null;
  return realpathSync(file);
}

interface Means {
  readonly stash: string | null;
  /** The name of the copy that the order asks for, relative to the root. */
  readonly name: string | null;
}

async function takeOne(home: SnapshotHome, wanted: WantedSnapshot, means: Means): Promise<KeptFile | Refusal> {
  const { path } = wanted;
  const file = locate(home, path);
  if (file === null) return refuse('file-not-found', `${path} cannot be resolved`);
  const own = keptFile(home, path);
  rememberPlace(own, file);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  const strategy = wanted.strategy ?? 'copy';
  if (!stats) return { path, keptAs: null, strategy, mode: null };
  const mode = stats.mode & 0o7777;
  const byGit = stats.isFile() ? await keepByGit(home, { file, own, strategy, stash: means.stash }) : null;
  if (byGit !== null) return { path, keptAs: byGit, strategy, mode };
  await copyHeld(file, own);
  if (means.name === null) return { path, keptAs: own, strategy: 'copy', mode };
  const isShown = await copyWhereWanted(home.root, means.name, own);
  if (!isShown) return refuse('permission-denied', `${wanted.snapshotPath} lies behind a link or a file`);
  return { path, keptAs: wanted.snapshotPath, strategy: 'copy', mode };
}

interface ByGit {
  readonly file: string;
  readonly own: string;
  readonly strategy: SnapshotStrategy;
  readonly stash: string | null;
}

async function keepByGit({ place }: SnapshotHome, { file, own, strategy, stash }: ByGit): Promise<string | null> {
  if (!place) return null;
  if (strategy === 'git-stash' && stash) return keptInStash(place, stash, file);
  if (strategy === 'diff' && (await writeDiff(place, file, own))) return own;
  return null;
}

async function copyHeld(file: string, own: string): Promise<void> {
  const held = holdFolderOf('/', Buffer.from(file.slice(1)), { isMade: false });
  if (!held) throw new WorkspaceFault('take snapshot', `the folder of ${file} was moved`, { retryable: true });
  try {
    await copyEntry(held.folder.at(held.last).toString('utf8'), own);
  } finally {
    held.folder.close();
  }
}

/** A copy for people to read. A restore uses Baton's own copy, which no agent can change. */
async function copyWhereWanted(root: string, name: string, own: string): Promise<boolean> {
  const held = holdFolderOf(root, Buffer.from(name), { isMade: true });
  if (!held) return false;
  try {
    await copyEntry(own, held.folder.at(held.last).toString('utf8'));
    return true;
  } finally {
    held.folder.close();
  }
}
