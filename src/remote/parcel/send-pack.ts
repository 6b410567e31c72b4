import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { BLOB_BYTES_MAX, WORK_FILES_MAX } from '../../domain/federation/federation-limits.ts';
import { GIT_PARCEL_MS_MAX, MIB } from '../../domain/limits.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import { type GitPlace, git } from '../../workspace/git.ts';
import { WorkspaceFault } from '../../workspace/workspace-fault.ts';
import type { BlobRef, Blobs } from './parcel.ts';
import { type ListedObject, readTrees } from './read-trees.ts';
import type { TreeSize } from './walk-trees.ts';

export interface PackRequest {
  readonly dataFolder: string;
  /** Names the folder in which the pack is made. */
  readonly name: string;
  readonly objects: readonly ListedObject[];
  readonly blobs: Blobs;
}

export interface SentPack {
  readonly blobs: readonly BlobRef[];
  readonly bytes: number;
  readonly unpackedBytes: number;
}

/**
 * Packs objects and stores the pack as blobs; those that are stored already are not sent again. The bytes follow from the objects
 * alone: a transfer that broke resumes with the same blobs.
 */
export async function sendPack(place: GitPlace, request: PackRequest): Promise<SentPack> {
  const { dataFolder, name, objects, blobs } = request;
  const folder = join(dataFolder, 'travel', 'outgoing', name);
  rmSync(folder, { recursive: true, force: true });
  makeFoldersIn(dataFolder, join(dataFolder, 'travel', 'outgoing'));
  mkdirSync(folder, { mode: 0o700 });
  try {
    const refs = await sendFile(await makePack(place, folder, objects), blobs);
    const bytes = refs.reduce((sum, ref) => sum + ref.bytes, 0);
    return { blobs: refs, bytes, unpackedBytes: objects.reduce((sum, object) => sum + object.bytes, 0) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The objects of some commits without those of others, which the other side has. */
export async function withoutObjectsOf(
  place: GitPlace,
  objects: readonly ListedObject[],
  commits: readonly string[],
): Promise<readonly ListedObject[]> {
  const known = await readTrees(place, commits);
  if (typeof known === 'string') throw new WorkspaceFault('pack', known, { retryable: false });
  return objects.filter(({ name }) => !known.objects.has(name));
}

/** Without deltas, and compressed anew: how the repository stores its objects must not matter, and a receiver takes no deltas. */
async function makePack(place: GitPlace, folder: string, objects: readonly ListedObject[]): Promise<string> {
  const plain = ['--window=0', '--no-reuse-delta', '--no-reuse-object', '--threads=1'];
  const input = Buffer.from(objects.map(({ name }) => `${name}\n`).join(''));
  // Git would read attributes in a work tree.
  const bare = { ...place, workTree: folder };
  await git(bare, {
    args: ['pack-objects', '-q', ...plain, join(folder, 'pack')],
    settings: ['pack.compression=1'],
    input,
    timeoutMs: GIT_PARCEL_MS_MAX,
  });
  const pack = readdirSync(folder).find((name) => name.endsWith('.pack'));
  if (pack === undefined) throw new Error('git made no pack');
  return join(folder, pack);
}

async function sendFile(path: string, blobs: Blobs): Promise<readonly BlobRef[]> {
  const refs: BlobRef[] = [];
  const file = await open(path);
  try {
    for (;;) {
      const bytes = await readChunk(file);
      if (bytes.length === 0) return refs;
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      if (!(await blobs.has(sha256))) await blobs.put(sha256, bytes);
      crashPoint('parcel.blob-put');
      refs.push({ sha256, bytes: bytes.length });
    }
  } finally {
    await file.close();
  }
}

/** The next bytes, as many as a blob has; fewer at the end alone. */
async function readChunk(file: FileHandle): Promise<Buffer> {
  const chunk = Buffer.allocUnsafe(BLOB_BYTES_MAX);
  let filled = 0;
  for (let more = -1; more !== 0 && filled < chunk.length; filled += more) {
    more = (await file.read(chunk, filled, chunk.length - filled, null)).bytesRead;
  }
  return chunk.subarray(0, filled);
}

const LARGEST_SHOWN = 5;

/** Null where the files of a commit are within the bound; else the refusal names the largest ones. */
export function refuseLarge(
  { files, bytes }: TreeSize,
  objects: readonly ListedObject[],
  bytesMax: number,
): Refusal | null {
  if (bytes <= bytesMax && files <= WORK_FILES_MAX) return null;
  const what = bytes > bytesMax ? `${mib(bytes)} of files` : `${files} files`;
  const most = bytes > bytesMax ? mib(bytesMax) : `${WORK_FILES_MAX} files`;
  const largest = objects
    .filter(({ type }) => type === 'blob')
    .toSorted((one, other) => other.bytes - one.bytes)
    .slice(0, LARGEST_SHOWN);
  const message = `the work has ${what}; at most ${most} travel to another node`;
  return { ...refuse('work_too_large', message), details: largest.map(({ path, bytes }) => `${path} (${mib(bytes)})`) };
}

function mib(bytes: number): string {
  return bytes < MIB ? `${Math.ceil(bytes / 1_024)} KiB` : `${Math.round(bytes / MIB)} MiB`;
}
