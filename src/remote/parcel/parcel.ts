import { createHash } from 'node:crypto';
import { BLOB_BYTES_MAX, PARCEL_BLOBS_MAX } from '../../domain/federation/federation-limits.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { canonicalJson } from '../../domain/words/canonical-json.ts';
import { isJsonObject } from '../../domain/words/json-object.ts';

/** A blob of the transport that both nodes use. */
export interface BlobRef {
  /** In hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}

/** Work on its way to another node, or its result on the way back: a JSON value that names blobs. */
export interface Parcel {
  readonly version: 1;
  /** `files`: the folder of the work is not in git, and has the named inputs alone. */
  readonly kind: 'git' | 'files';
  readonly holds: 'work' | 'result';
  /** The task and round that the work is of, as its sender names it; in a result, the digest of the work's parcel. */
  readonly about: string;
  /** Names the repository of the sender: later parcels of it need not repeat what is there. */
  readonly repository: string;
  readonly objectFormat: 'sha1' | 'sha256';
  /** HEAD of the sender's repository; null before its first commit, and without git. */
  readonly baseCommit: string | null;
  /** The commit with all files: before the work, or after it. */
  readonly state: string;
  /** The commit with everything that is no file of the work. */
  readonly beside: string;
  /** Commits that the receiver has to have: the blobs lack their objects. */
  readonly needs: readonly string[];
  /** The parts of one pack of git, in order; each has at most 4 MiB. */
  readonly blobs: readonly BlobRef[];
  /** The size of all blobs. */
  readonly bytes: number;
  /** The size of the objects in them. */
  readonly unpackedBytes: number;
}

/** The blobs that two nodes share, by SHA-256 in hexadecimal. A call that fails for now throws. */
export interface Blobs {
  has(sha256: string): Promise<boolean>;
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  /** Null where there is no such blob. */
  get(sha256: string): Promise<Uint8Array | null>;
}

/** Names a parcel by all that it says; the receipt of a run is bound to its work by it. */
export function parcelDigest(parcel: Parcel): string {
  const canonical = canonicalJson(parcel);
  if (canonical.kind === 'none') throw new Error(`a parcel has no canonical text at ${canonical.path}`);
  return createHash('sha256').update(canonical.text, 'utf8').digest('hex');
}

const HASH = /^[0-9a-f]{64}$/;
const COMMIT = { sha1: /^[0-9a-f]{40}$/, sha256: HASH } as const;
const ABOUT = /^[A-Za-z0-9_./-]{1,200}$/;
const NEEDS_MAX = 64;

/** Reads a parcel that another node sent, field by field; nothing else of the value is used. */
export function readParcel(value: unknown, holds: Parcel['holds']): Parcel | Refusal {
  if (!isJsonObject(value)) return malformed('', 'a parcel is a JSON object');
  const { kind, about, repository, objectFormat, baseCommit, state, beside, needs, blobs, unpackedBytes } = value;
  if (value['version'] !== 1) return malformed('/version', 'is not 1');
  if (kind !== 'git' && kind !== 'files') return malformed('/kind', 'is neither git nor files');
  if (value['holds'] !== holds) return malformed('/holds', `is not ${holds}`);
  if (typeof about !== 'string' || !ABOUT.test(about)) return malformed('/about', 'is no name');
  if (typeof repository !== 'string' || !HASH.test(repository)) return malformed('/repository', 'is no name');
  if (objectFormat !== 'sha1' && objectFormat !== 'sha256') return malformed('/objectFormat', 'is unknown');
  const isCommit = (one: unknown): one is string => typeof one === 'string' && COMMIT[objectFormat].test(one);
  if (baseCommit !== null && !isCommit(baseCommit)) return malformed('/baseCommit', 'is no commit');
  if (!isCommit(state)) return malformed('/state', 'is no commit');
  if (!isCommit(beside)) return malformed('/beside', 'is no commit');
  if (!Array.isArray(needs) || needs.length > NEEDS_MAX || !needs.every(isCommit)) {
    return malformed('/needs', 'is no list of commits');
  }
  const refs = readBlobs(blobs);
  if (refs === null) return malformed('/blobs', `is no list of blobs of at most ${BLOB_BYTES_MAX} bytes`);
  const bytes = refs.reduce((sum, ref) => sum + ref.bytes, 0);
  if (value['bytes'] !== bytes) return malformed('/bytes', 'is not the size of the blobs');
  if (!isSize(unpackedBytes)) return malformed('/unpackedBytes', 'is no size');
  const names = { about, repository, objectFormat, baseCommit, state, beside, needs } as const;
  return { version: 1, kind, holds, ...names, blobs: refs, bytes, unpackedBytes };
}

function readBlobs(value: unknown): readonly BlobRef[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > PARCEL_BLOBS_MAX) return null;
  const refs = value.flatMap((one: unknown): BlobRef[] => {
    const { sha256, bytes } = isJsonObject(one) ? one : {};
    if (typeof sha256 !== 'string' || !HASH.test(sha256) || !isSize(bytes)) return [];
    return bytes === 0 || bytes > BLOB_BYTES_MAX ? [] : [{ sha256, bytes }];
  });
  return refs.length === value.length ? refs : null;
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function malformed(path: string, reason: string): Refusal {
  const message = path === '' ? reason : `${path.slice(1)} ${reason}`;
  return { ...refuse('parcel_refused', `the parcel cannot be used: ${message}`), path };
}
