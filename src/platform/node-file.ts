import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './durable-files.ts';
import { isSameProcess, processStart } from './process-start.ts';

/** node.json: tells the programs of this user how to reach the node of a folder. */
export interface NodeFile {
  readonly url: string;
  readonly token: string;
  /** With TLS, the fingerprint of the node's certificate. */
  readonly certSha256?: string;
  readonly pid: number;
  /** Start time of the process: a pid alone may be reused. */
  readonly pidStart: string;
}

const NAME = 'node.json';
const BYTES_MAX = 4_096;

/** Announces this process as the node, in one rename, with mode 0600. */
export function writeNodeFile(folder: string, place: Omit<NodeFile, 'pid' | 'pidStart'>): NodeFile {
  const facts = { ...place, pid: process.pid, pidStart: processStart(process.pid) ?? '' };
  replaceFile(join(folder, NAME), `${JSON.stringify(facts)}\n`);
  return facts;
}

/** Removes only what this process wrote: another node may have replaced it. */
export function removeNodeFile(folder: string): void {
  if (readNodeFile(folder)?.pid === process.pid) rmSync(join(folder, NAME), { force: true });
}

/** Null if the process of the file has ended. */
export function readLiveNode(folder: string): NodeFile | null {
  const facts = readNodeFile(folder);
  return facts && isSameProcess(facts.pid, facts.pidStart) ? facts : null;
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
    const { url, token, certSha256, pid, pidStart } = JSON.parse(text) as Partial<NodeFile>;
    const isWhole = typeof url === 'string' && typeof token === 'string' && typeof pidStart === 'string';
    if (!isWhole || !Number.isSafeInteger(pid)) return null;
    return { url, token, ...(typeof certSha256 === 'string' && { certSha256 }), pid: pid as number, pidStart };
  } catch {
    // Not written by a node.
    return null;
  }
}
