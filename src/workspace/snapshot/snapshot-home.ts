import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SNAPSHOTS_FOLDER, type SnapshotStrategy } from '../../domain/order/order.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { isWithin, wholePath } from '../../domain/work/path-text.ts';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { isPathOfOtherSystem, resolvePath } from '../resolve-path.ts';
import type { ShadowPlace } from '../shadow/private-repository.ts';

/** The task whose outputs are saved, and the folders involved. */
export interface SnapshotHome {
  readonly task: string;
  /** As the agent sees it, with links resolved. */
  readonly workspaceRoot: string;
  /** The folder that holds the files: the workspace, or the worktree shown at its path. */
  readonly root: string;
  /** `snapshots/TASK` of the data folder: no agent can write there. */
  readonly snapshotsFolder: string;
  /** The repository of the files; null where there is none. */
  readonly place: ShadowPlace | null;
}

/** An output to save before the work begins. */
export interface WantedSnapshot {
  readonly path: string;
  /** Null is a copy. */
  readonly strategy: SnapshotStrategy | null;
  /** The path for a copy that the order asks for; only in the workspace's folder for them. */
  readonly snapshotPath: string | null;
}

/** Resolves the links of an output's folder, but not of the output itself. Null where the folder cannot exist. */
export function locate(home: SnapshotHome, path: string): string | null {
  if (path.includes('\0') || isPathOfOtherSystem(path)) return null;
  const whole = wholePath(home.workspaceRoot, path);
  const isMoved = home.root !== home.workspaceRoot && isWithin(home.workspaceRoot, whole);
  const onDisk = isMoved ? join(home.root, whole.slice(home.workspaceRoot.length)) : path;
  if (['', '.', '..'].includes(basename(onDisk))) return null;
  const folder = resolvePath(dirname(onDisk.startsWith('/') ? onDisk : join(home.root, onDisk)), '/');
  if (folder.kind === 'missing' || (folder.kind === 'there' && folder.what === 'folder')) {
    return join(folder.realPath, basename(onDisk));
  }
  return null;
}

/** Creates the folder of a task's snapshots. */
export function makeSnapshotsFolder({ snapshotsFolder }: SnapshotHome): void {
  makeFoldersIn(dirname(dirname(snapshotsFolder)), snapshotsFolder);
}

/** Baton's own copy of an output, named by its path. */
export function keptFile(home: SnapshotHome, path: string): string {
  makeSnapshotsFolder(home);
  return join(home.snapshotsFolder, createHash('sha256').update(path).digest('hex').slice(0, 32));
}

/** Records the path before the work begins: a link that an agent plants must not lead a restore elsewhere. */
export function rememberPlace(own: string, file: string): void {
  replaceFile(`${own}.place`, JSON.stringify(file));
  const missing = outermostMissing(dirname(file));
  if (missing !== null) replaceFile(`${own}.folder`, JSON.stringify(missing));
}

function outermostMissing(folder: string): string | null {
  if (existsSync(folder)) return null;
  return outermostMissing(dirname(folder)) ?? folder;
}

/** The topmost folder above an output that did not exist; null where all did. */
export function rememberedFolder(own: string): string | null {
  return readPath(`${own}.folder`);
}

/** The path of the output when it was saved; null where it is unknown. */
export function rememberedPlace(own: string): string | null {
  return readPath(`${own}.place`);
}

/** Null where there is none, or it was cut short: half of a path would lead elsewhere. */
function readPath(file: string): string | null {
  if (!existsSync(file)) return null;
  const text = readFileSync(file, 'utf8');
  // Written by an earlier version, which used no quotes.
  if (text.startsWith('/')) return text;
  try {
    const path: unknown = JSON.parse(text);
    return typeof path === 'string' && path.startsWith('/') ? path : null;
  } catch {
    // The output is reported as not restored.
    return null;
  }
}

/** The name of a copy that the order asks for, relative to the root (aop:snapshot-path). */
export function snapshotName(home: SnapshotHome, snapshotPath: string): string | Refusal {
  const located = locate(home, snapshotPath);
  const folder = join(home.root, SNAPSHOTS_FOLDER);
  if (located === null || located === folder || !isWithin(folder, located)) {
    return refuse('permission-denied', `${snapshotPath} does not lie in ${SNAPSHOTS_FOLDER}/ of the workspace`);
  }
  return located.slice(home.root.length + 1);
}
