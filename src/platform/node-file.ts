import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess, processStart } from './process-start.ts';

/** How the programs of this user reach the node of a folder: node.json. */
export interface NodeFile {
  readonly url: string;
  readonly token: string;
  /** Where it speaks TLS: the fingerprint of the certificate that it shows. */
  readonly certSha256?: string;
  readonly pid: number;
  /** When that process began: a pid alone may come to mean another one. */
  readonly pidStart: string;
}

const NAME = 'node.json';
const BYTES_MAX = 4_096;

/** Says that this process is the node: whole or not at all, for its owner only. */
export function writeNodeFile(folder: string, place: Omit<NodeFile, 'pid' | 'pidStart'>): NodeFile {
  const facts = { ...place, pid: process.pid, pidStart: processStart(process.pid) ?? '' };
  const draft = join(folder, `.${NAME}.${facts.pid}.tmp`);
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(facts)}\n`, { flag: 'wx', mode: 0o600 });
  renameSync(draft, join(folder, NAME));
  return facts;
}

/** Only by the one who wrote it: another node may have taken its place. */
export function removeNodeFile(folder: string): void {
  if (readNodeFile(folder)?.pid === process.pid) rmSync(join(folder, NAME), { force: true });
}

/** What the file says, if its process still runs; what a dead node left behind is overlooked. */
export function readLiveNode(folder: string): NodeFile | null {
  const facts = readNodeFile(folder);
  return facts && isSameProcess(facts.pid, facts.pidStart) ? facts : null;
}

/** Null where there is none, and where others could have written or read it. */
function readNodeFile(folder: string): NodeFile | null {
  let file: number;
  try {
    file = openSync(join(folder, NAME), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    // Not there, or a link to elsewhere.
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
    // Not what a node writes.
    return null;
  }
}
