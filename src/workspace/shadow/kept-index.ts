import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../git.ts';
import type { PrivateRepository } from './private-repository.ts';

/** The tree of a repository without a commit. */
export const NO_TREE = 'empty';

/** Describes the index that Baton keeps for a root between shadows, with the file times that git learned. */
export interface IndexState {
  /** The tree that the index holds. */
  readonly tree: string;
  /** HEAD's tree when the index was aligned with it. */
  readonly head: string;
  /** Identifies the bytes of the index file. */
  readonly stamp: string;
}

/** An entry of an index. */
export interface IndexEntry {
  /** Offset of the entry in the index file. */
  readonly at: number;
  readonly name: Buffer;
}

const HEADER_BYTES = 12;
const STAT_BYTES = 40;
const TIMES_BYTES = 16;
const EXTENDED_FLAG = 0x4000;
const NAME_BYTES = 0x0fff;
const PADDED_TO_BYTES = 8;

/**
 * Aligns the kept index with HEAD's tree, and answers with the tree that it holds. It stays ahead of HEAD where many files
 * differ from it. File times of entries that both trees share are kept.
 */
export async function alignIndex(own: PrivateRepository, head: string, isRebuilt: boolean): Promise<string> {
  const known = isRebuilt ? null : readState(own);
  if (known?.head === head) return known.tree;
  forgetIndexState(own);
  if (head === NO_TREE) await git(own.place, { args: ['read-tree', '--empty'] });
  else await git(own.place, { args: ['read-tree', ...(known ? ['--reset'] : []), head] });
  return head;
}

export async function emptyIndex(own: PrivateRepository): Promise<void> {
  forgetIndexState(own);
  await git(own.place, { args: ['read-tree', '--empty'] });
}

/** Called before the index changes: a crash in between then leaves an index that is known to be unusable. */
export function forgetIndexState(own: PrivateRepository): void {
  rmSync(stateFile(own), { force: true });
}

export function writeIndexState(own: PrivateRepository, state: Omit<IndexState, 'stamp'>): void {
  const text = JSON.stringify({ ...state, stamp: stampOf(own) });
  if (existsSync(stateFile(own)) && readFileSync(stateFile(own), 'utf8') === text) return;
  writeFileSync(stateFile(own), text, { mode: 0o600 });
}

/** False where the index file has the same bytes as when its state was written. */
export function hasIndexChanged(own: PrivateRepository): boolean {
  return readState(own)?.stamp !== stampOf(own);
}

/** Null where there is no index yet. */
export function readIndex(own: PrivateRepository): Buffer | null {
  return existsSync(own.indexFile) ? readFileSync(own.indexFile) : null;
}

function readState(own: PrivateRepository): IndexState | null {
  if (!existsSync(own.indexFile) || !existsSync(stateFile(own))) return null;
  return JSON.parse(readFileSync(stateFile(own), 'utf8')) as IndexState;
}

function stateFile(own: PrivateRepository): string {
  return join(own.folder, 'index-state.json');
}

function stampOf({ indexFile }: PrivateRepository): string {
  const stats = statSync(indexFile, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : 'none';
}

/**
 * Clears the times of entries whose file changed in the second `sinceSeconds` or later, so that git reads these files again
 * next time. Git compares whole seconds: a second change within that second, with size and modification time put back,
 * would go unnoticed.
 */
export function distrustFreshEntries(own: PrivateRepository, index: Buffer, sinceSeconds: number): void {
  const fresh = freshEntries(index, sinceSeconds, own.objectBytes);
  if (fresh.length === 0) return;
  const draft = `${own.indexFile}.draft`;
  writeFileSync(draft, withoutTimes(index, fresh, own.objectBytes), { mode: 0o600 });
  renameSync(draft, own.indexFile);
}

/** Entries of a git index (version 2 or 3) whose file changed in the second `sinceSeconds` or later. */
export function freshEntries(index: Buffer, sinceSeconds: number, objectBytes: number): IndexEntry[] {
  if (index.toString('latin1', 0, 4) !== 'DIRC' || index.readUInt32BE(4) > 3) throw new Error('not an index of ours');
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const fresh: IndexEntry[] = [];
  let at = HEADER_BYTES;
  for (let remaining = view.getUint32(8); remaining > 0; remaining--) {
    const flagsAt = at + STAT_BYTES + objectBytes;
    const flags = view.getUint16(flagsAt);
    const nameAt = flagsAt + (flags & EXTENDED_FLAG ? 4 : 2);
    const nameBytes = flags & NAME_BYTES;
    // A longer name ends at the first NUL.
    const nameEnd = nameBytes < NAME_BYTES ? nameAt + nameBytes : index.indexOf(0, nameAt);
    if (view.getUint32(at) >= sinceSeconds) fresh.push({ at, name: index.subarray(nameAt, nameEnd) });
    const bytes = nameEnd - at;
    at += bytes + PADDED_TO_BYTES - (bytes % PADDED_TO_BYTES);
  }
  return fresh;
}

function withoutTimes(index: Buffer, entries: readonly IndexEntry[], objectBytes: number): Buffer {
  const changed = Buffer.from(index);
  for (const { at } of entries) changed.fill(0, at, at + TIMES_BYTES);
  const end = changed.length - objectBytes;
  const sum = createHash(objectBytes === 32 ? 'sha256' : 'sha1').update(changed.subarray(0, end));
  sum.digest().copy(changed, end);
  return changed;
}
