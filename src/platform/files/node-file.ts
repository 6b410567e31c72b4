import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess, processStart } from '../process/process-start.ts';
import { replaceFile } from './durable-files.ts';
import { realPathAsFar } from './real-path.ts';

/** node.json: tells the programs of this user how to reach the node of a folder. */
export interface NodeFile {
  readonly url: string;
  readonly token: string;
  /** With TLS, the fingerprint of the node's certificate. */
  readonly certSha256?: string;
  readonly pid: number;
  /** Start time of the process: a pid alone may be reused. */
  readonly pidStart: string;
  /** The data folder that the node serves, and the identity of its lock file: the node of a copied folder is elsewhere. */
  readonly folder?: string;
  readonly lock?: string;
}

const NAME = 'node.json';
const LOCK = 'lock.sqlite';
const BYTES_MAX = 4_096;

/** Announces this process as the node, in one rename, with mode 0600. */
export function writeNodeFile(folder: string, place: Pick<NodeFile, 'url' | 'token' | 'certSha256'>): NodeFile {
  const self = { pid: process.pid, pidStart: processStart(process.pid) ?? '' };
  const facts = { ...place, ...self, folder: realPathAsFar(folder), lock: identityOf(join(folder, LOCK)) ?? '' };
  replaceFile(join(folder, NAME), `${JSON.stringify(facts)}\n`);
  return facts;
}

/** Removes only what this process wrote: another node may have replaced it. */
export function removeNodeFile(folder: string): void {
  if (readNodeFile(folder)?.pid === process.pid) rmSync(join(folder, NAME), { force: true });
}

/** Null if the process of the file has ended, or if it serves another folder: a copied one, or the place before a move. */
export function readLiveNode(folder: string): NodeFile | null {
  const facts = readStoppableNode(folder);
  return facts && standingOf(folder, facts) === 'here' ? facts : null;
}

/** The same, and a node whose folder was moved: it ends by itself in a moment. */
export function readStoppableNode(folder: string): NodeFile | null {
  const facts = readNodeFile(folder);
  const isLive = facts !== null && isSameProcess(facts.pid, facts.pidStart);
  return isLive && standingOf(folder, facts) !== 'elsewhere' ? facts : null;
}

/**
 * Whether the node serves this folder. A lock file is never replaced, so it identifies its folder; a link or a bind mount
 * leads to the same one by another path.
 */
function standingOf(folder: string, node: NodeFile): 'here' | 'moved' | 'elsewhere' {
  // A node of an earlier version.
  if (node.folder === undefined || node.lock === undefined) return 'here';
  if (identityOf(join(folder, LOCK)) !== node.lock) return 'elsewhere';
  if (realPathAsFar(folder) === node.folder) return 'here';
  if (identityOf(join(node.folder, LOCK)) !== node.lock) return 'moved';
  return identityOf(folder) === identityOf(node.folder) ? 'here' : 'elsewhere';
}

/** Null where there is no file or folder. */
function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : null;
}

/** Whether the file is there and does not say where a node is. */
export function isNodeFileTorn(folder: string): boolean {
  return readNodeFile(folder) === null;
}

/** Null if there is none, or if other users could read or write it. */
function readNodeFile(folder: string): NodeFile | null {
  let file: number;
  try {
    file = openSync(join(folder, NAME), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    // No file, or a link.
    return null;
  }
  try {
    const { uid, mode, size } = fstatSync(file);
    const isOurs = uid === (process.getuid?.() ?? uid) && (process.platform === 'win32' || (mode & 0o077) === 0);
    return isOurs && size <= BYTES_MAX ? parse(readFileSync(file, 'utf8')) : null;
  } finally {
    closeSync(file);
  }
}

function parse(text: string): NodeFile | null {
  try {
    const { url, token, certSha256, pid, pidStart, folder, lock } = JSON.parse(text) as Partial<NodeFile>;
    const isWhole = typeof url === 'string' && typeof token === 'string' && typeof pidStart === 'string';
    if (!isWhole || !Number.isSafeInteger(pid)) return null;
    return {
      url,
      token,
      ...(typeof certSha256 === 'string' && { certSha256 }),
      pid: pid as number,
      pidStart,
      ...(typeof folder === 'string' && typeof lock === 'string' && { folder, lock }),
    };
  } catch {
    // Not written by a node.
    return null;
  }
}
