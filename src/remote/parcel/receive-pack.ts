import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PARCEL_OBJECTS_MAX } from '../../domain/federation/federation-limits.ts';
import { GIT_PARCEL_MS_MAX, MIB } from '../../domain/limits.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { syncPath } from '../../platform/files/durable-files.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import { type GitPlace, git } from '../../workspace/git.ts';
import { type BlobRef, type Blobs, type Parcel, parcelDigest } from './parcel.ts';
import { scanPack } from './scan-pack.ts';

/** Room for what is no file: folders, commits, and what goes beside the files. */
const BESIDE_BYTES_MAX = 64 * MIB;
const FATAL = 128;

export interface PackToReceive {
  readonly dataFolder: string;
  readonly parcel: Parcel;
  readonly bytesMax: number;
  readonly blobs: Blobs;
}

/** The folder of a parcel that is on its way in. What arrived stays there until it is used. */
function incomingFolder({ dataFolder, parcel }: Pick<PackToReceive, 'dataFolder' | 'parcel'>): string {
  return join(dataFolder, 'travel', 'incoming', parcelDigest(parcel));
}

/** Removes what arrived of a parcel that is used or refused. One that is incomplete continues from it. */
export function dropIncoming(of: Pick<PackToReceive, 'dataFolder' | 'parcel'>, refusal: Refusal | null): void {
  if (refusal?.code !== 'parcel_incomplete') rmSync(incomingFolder(of), { recursive: true, force: true });
}

/** Fetches the blobs that are not here yet, and puts them together; the path of the pack. */
export async function receivePack(request: PackToReceive): Promise<string | Refusal> {
  const { dataFolder, parcel, bytesMax, blobs } = request;
  const large = refuseSize(parcel, bytesMax);
  if (large) return large;
  const folder = incomingFolder(request);
  makeFoldersIn(dataFolder, folder);
  const missing: string[] = [];
  for (const ref of parcel.blobs) {
    if (!(await fetchBlob(folder, ref, blobs))) missing.push(ref.sha256);
    crashPoint('parcel.blob-fetched');
  }
  if (missing.length > 0) {
    const message = `${missing.length} of ${parcel.blobs.length} parts of the parcel are not there`;
    return { ...refuse('parcel_incomplete', message), details: missing };
  }
  return await joined(folder, request);
}

/** The pack may be a little larger than its objects, where they cannot be compressed. */
function refuseSize({ bytes, unpackedBytes }: Parcel, bytesMax: number): Refusal | null {
  const most = bytesMax + BESIDE_BYTES_MAX;
  if (bytes <= most && unpackedBytes <= most) return null;
  const message = `the parcel has ${Math.max(bytes, unpackedBytes)} bytes; this node takes at most ${bytesMax}`;
  return { ...refuse('work_too_large', message), hint: 'federation.work_mib of this node sets the bound' };
}

async function fetchBlob(folder: string, { sha256, bytes }: BlobRef, blobs: Blobs): Promise<boolean> {
  const file = join(folder, sha256);
  if (isWhole(file, { sha256, bytes })) return true;
  const found = await blobs.get(sha256);
  if (found === null || found.length !== bytes || hashOf(found) !== sha256) return false;
  const draft = `${file}.new`;
  writeFileSync(draft, found, { mode: 0o600 });
  renameSync(draft, file);
  return true;
}

/** A part that an earlier transfer brought; a power cut may have torn it. */
function isWhole(file: string, { sha256, bytes }: BlobRef): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.size !== bytes) return false;
  return hashOf(readFileSync(file)) === sha256;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function joined(folder: string, { parcel, bytesMax }: PackToReceive): Promise<string | Refusal> {
  const pack = join(folder, 'whole.pack');
  rmSync(pack, { force: true });
  for (const { sha256 } of parcel.blobs) appendFileSync(pack, readFileSync(join(folder, sha256)), { mode: 0o600 });
  const nameBytes = parcel.objectFormat === 'sha256' ? 32 : 20;
  const bounds = { objectsMax: PARCEL_OBJECTS_MAX, bytesMax: bytesMax + BESIDE_BYTES_MAX, nameBytes };
  const scanned = await scanPack(pack, bounds);
  if (typeof scanned === 'string') return refuseParcel(`its pack cannot be used: ${scanned}`);
  if (scanned.bytes !== parcel.unpackedBytes) return refuseParcel('its objects have another size than it says');
  return pack;
}

export function refuseParcel(reason: string): Refusal {
  return refuse('parcel_refused', `the parcel was refused: ${reason}`);
}

/** Moves a received pack into a folder of objects and indexes it there, which names every object by its bytes. */
export async function indexPack(place: GitPlace, objects: string, pack: string): Promise<Refusal | null> {
  const folder = join(objects, 'pack');
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  const file = join(folder, `pack-${checksumOf(pack)}.pack`);
  syncPath(pack);
  renameSync(pack, file);
  const args = ['index-pack', '-o', file.replace(/pack$/, 'idx'), file];
  const call = { args, exitCodes: [0, 1, FATAL], timeoutMs: GIT_PARCEL_MS_MAX };
  const { exitCode, stderr } = await git({ ...place, workTree: objects }, call);
  return exitCode === 0 ? null : refuseParcel(`git cannot read its pack: ${stderr.trim().split('\n')[0]}`);
}

const CHECKSUM_BYTES = 20;

/** The end of a pack is a checksum, by which git names it. */
function checksumOf(pack: string): string {
  const end = Buffer.alloc(CHECKSUM_BYTES);
  const file = openSync(pack, 'r');
  try {
    readSync(file, end, 0, CHECKSUM_BYTES, statSync(pack).size - CHECKSUM_BYTES);
  } finally {
    closeSync(file);
  }
  return end.toString('hex');
}
