import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { requestNode } from '../../api/http/call-node.ts';
import { LOCK_WAIT_MS_MAX, NODE_ANSWER_MS_MAX } from '../../domain/limits.ts';
import { systemClock } from '../../platform/clock.ts';
import { FolderFault, makeDataFolder } from '../../platform/files/data-folder.ts';
import {
  type FolderLock,
  findLockHolder,
  inspectFolderLock,
  type LockHolder,
  tryFolderLock,
} from '../../platform/files/folder-lock.ts';
import { type NodeFile, readLiveNode } from '../../platform/files/node-file.ts';
import { type Timer, waitAtMost } from '../../platform/timer.ts';

/** The process that holds the lock of a folder is its node: this one, or one that other processes can call. */
type FolderHolder =
  | { readonly kind: 'self'; readonly lock: FolderLock }
  | { readonly kind: 'node'; readonly node: NodeFile };

const POLL_MS = 20;

/** Waits for a command that holds the lock for a moment. A running node is returned at once, with its address. */
export async function findHolder(folder: string, timer: Timer, waitMsMax = LOCK_WAIT_MS_MAX): Promise<FolderHolder> {
  makeDataFolder(folder);
  const clock = systemClock();
  const untilMs = clock.now().monotonicMs + waitMsMax;
  for (;;) {
    const node = readLiveNode(folder);
    if (node) return { kind: 'node', node };
    const lock = tryFolderLock(join(folder, 'lock.sqlite'));
    if (lock) return { kind: 'self', lock };
    if (clock.now().monotonicMs >= untilMs) throw inUse(folder, null);
    await timer.pause(POLL_MS);
  }
}

/** Takes the lock. A node that answers keeps it; one that is stopping, or was killed a moment ago, is waited for. */
export async function holdFolder(folder: string, timer: Timer): Promise<FolderLock> {
  const clock = systemClock();
  const untilMs = clock.now().monotonicMs + LOCK_WAIT_MS_MAX;
  for (;;) {
    const leftMs = untilMs - clock.now().monotonicMs;
    const holder = await findHolder(folder, timer, leftMs);
    if (holder.kind === 'self') return holder.lock;
    if (leftMs <= 0 || (await doesAnswer(holder.node))) throw inUse(folder, holder.node);
    await timer.pause(POLL_MS);
  }
}

async function doesAnswer(node: NodeFile): Promise<boolean> {
  const stop = new AbortController();
  try {
    const asked = requestNode(node, { method: 'GET', path: '/healthz', headers: {}, signal: stop.signal });
    return (await waitAtMost(asked, NODE_ANSWER_MS_MAX)) && (await asked).statusCode === 200;
  } catch {
    // Nothing listens there any more.
    return false;
  } finally {
    stop.abort();
  }
}

function inUse(folder: string, node: NodeFile | null): FolderFault {
  if (!node) return inUseBy(folder, findLockHolder(join(folder, 'lock.sqlite')));
  const message = `${folder} has a node already: process ${node.pid}, at ${node.url}`;
  return new FolderFault('folder_in_use', message, 'baton down, or talk to it: every command does');
}

function inUseBy(folder: string, holder: LockHolder | null): FolderFault {
  const who = holder === null ? '' : `: ${holder.pid}, ${holder.command}`;
  const hint = holder === null ? 'wait for it, or end it' : `wait for it, or end it: kill ${holder.pid}`;
  return new FolderFault('folder_in_use', `${folder} is in use by another baton process${who}`, hint);
}

/** The holder of a folder, for a caller that does not take the lock. */
export type SeenHolder =
  | { readonly kind: 'node'; readonly node: NodeFile }
  | { readonly kind: 'command' }
  /** The lock file is of another program; the next command empties it. */
  | { readonly kind: 'no-lock'; readonly file: string }
  | { readonly kind: 'none' };

export function inspectHolder(folder: string): SeenHolder {
  const node = readLiveNode(folder);
  if (node) return { kind: 'node', node };
  const file = join(folder, 'lock.sqlite');
  if (!existsSync(file)) return { kind: 'none' };
  const seen = inspectFolderLock(file);
  if (seen === 'no-lock') return { kind: 'no-lock', file };
  return { kind: seen === 'free' ? 'none' : 'command' };
}
