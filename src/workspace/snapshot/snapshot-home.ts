import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SnapshotStrategy } from '../../domain/order.ts';
import { isWithin, wholePath } from '../../domain/path-text.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { syncPath } from '../../platform/durable-files.ts';
import { isForeignPath, lookAtPath } from '../look-at-path.ts';
import type { ShadowPlace } from '../shadow/private-repository.ts';

/** Whose outputs are kept, and where. */
export interface SnapshotHome {
  readonly task: string;
  /** Real, as the agent knows it. */
  readonly workspaceRoot: string;
  /** Where the files are in truth: the workspace, or the worktree shown in its place. */
  readonly root: string;
  /** Of this task alone, in the data folder: no agent can write there. */
  readonly snapshotsFolder: string;
  /** The repository that the files lie in; null where there is none. */
  readonly place: ShadowPlace | null;
}

/** An output whose state before the work is to be kept. */
export interface WantedSnapshot {
  readonly path: string;
  /** AOP: null is COPY. */
  readonly strategy: SnapshotStrategy | null;
  /** Where the order wants a copy; in the workspace's .aop_snapshots/ only. */
  readonly snapshotPath: string | null;
}

const SNAPSHOTS = '.aop_snapshots';

/** Where an output is: its folder with all links followed, its own name as it is. Null where that leads nowhere. */
export function locate(home: SnapshotHome, path: string): string | null {
  if (path.includes('\0') || isForeignPath(path)) return null;
  const whole = wholePath(home.workspaceRoot, path);
  const isMoved = home.root !== home.workspaceRoot && isWithin(home.workspaceRoot, whole);
  const inTruth = isMoved ? join(home.root, whole.slice(home.workspaceRoot.length)) : path;
  if (['', '.', '..'].includes(basename(inTruth))) return null;
  const folder = lookAtPath(dirname(inTruth.startsWith('/') ? inTruth : join(home.root, inTruth)), '/');
  if (folder.kind === 'missing' || (folder.kind === 'there' && folder.what === 'folder')) {
    return join(folder.realPath, basename(inTruth));
  }
  return null;
}

/** Baton's own copy of an output, named by its path. */
export function keptFile(home: SnapshotHome, path: string): string {
  mkdirSync(home.snapshotsFolder, { recursive: true, mode: 0o700 });
  return join(home.snapshotsFolder, createHash('sha256').update(path).digest('hex').slice(0, 32));
}

/** Written down before the work begins: a link that an agent puts on the way must not lead a restore elsewhere. */
export function rememberPlace(own: string, file: string): void {
  writeDown(`${own}.place`, file);
  const missing = outermostMissing(dirname(file));
  if (missing !== null) writeDown(`${own}.folder`, missing);
}

function writeDown(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  syncPath(file);
}

function outermostMissing(folder: string): string | null {
  if (existsSync(folder)) return null;
  return outermostMissing(dirname(folder)) ?? folder;
}

/** The outermost of the folders above an output that were not there either; null where all were. */
export function rememberedFolder(own: string): string | null {
  return existsSync(`${own}.folder`) ? readFileSync(`${own}.folder`, 'utf8') : null;
}

/** Where the output was when it was kept; null where that is not known. */
export function rememberedPlace(own: string): string | null {
  return existsSync(`${own}.place`) ? readFileSync(`${own}.place`, 'utf8') : null;
}

/** The name of a copy that the order wants, from the root; decisions §1: in .aop_snapshots/ or not at all. */
export function snapshotName(home: SnapshotHome, snapshotPath: string): string | Refusal {
  const located = locate(home, snapshotPath);
  const folder = join(home.root, SNAPSHOTS);
  if (located === null || located === folder || !isWithin(folder, located)) {
    return refuse('E_PERMISSION_DENIED', `${snapshotPath} does not lie in ${SNAPSHOTS}/ of the workspace`);
  }
  return located.slice(home.root.length + 1);
}
