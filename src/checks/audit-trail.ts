import { createHash, createPublicKey, verify } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../domain/words/canonical-json.ts';
import { syncPath, writeDurably } from '../platform/files/durable-files.ts';
import type { NodeKey } from '../platform/node-key.ts';

/** The folder of the records, and the file beside it that the node signed. */
export const TRAIL_FOLDER = 'audit';
const HEAD_FILE = 'audit_head.json';
const NAME = /^(\d{6})\.json$/;

/** The newest record of a trail: its hash holds all records before it. */
export interface TrailHead {
  readonly records: number;
  /** SHA-256 of the bytes of its file, in hexadecimal. */
  readonly sha256: string;
}

interface SignedHead extends TrailHead {
  readonly session_id: string;
  readonly signer: { readonly algorithm: 'Ed25519'; readonly publicKey: string; readonly keyId: string };
  readonly signature: string;
}

export interface Trail {
  readonly sessionId: string;
  /** JSON objects; the trail adds a number and the hash of the record before to each. */
  readonly records: readonly object[];
}

/** Syncs of several files at once cost little more than one. */
const WRITES_AT_ONCE = 64;

/** Writes the whole trail of a session, and signs its head. Repeated, it writes the same bytes. */
export async function writeTrail(folder: string, trail: Trail, key: NodeKey): Promise<TrailHead> {
  const records = join(folder, TRAIL_FOLDER);
  await mkdir(records, { recursive: true, mode: 0o700 });
  let previous: string | null = null;
  const texts = trail.records.map((record, at) => {
    const text = recordText(record, { sequence: at + 1, previous });
    previous = hashOf(text);
    return text;
  });
  for (let first = 0; first < texts.length; first += WRITES_AT_ONCE) {
    const some = texts.slice(first, first + WRITES_AT_ONCE);
    await Promise.all(some.map((text, at) => writeRecord(join(records, nameOf(first + at + 1)), text)));
  }
  // A trail that was written before a crash may have had one record more.
  for (const name of await readdir(records)) {
    if (Number(NAME.exec(name)?.[1] ?? 0) > trail.records.length) await rm(join(records, name));
  }
  syncPath(records);
  const head = { records: trail.records.length, sha256: previous ?? '' };
  await writeDurably(join(folder, HEAD_FILE), `${JSON.stringify(signedHead(trail.sessionId, head, key), null, 2)}\n`);
  return head;
}

/** A record that is there is left alone: whoever reads the trail meanwhile finds it whole. */
async function writeRecord(file: string, text: string): Promise<void> {
  if ((await readFile(file).catch(absent)).equals(Buffer.from(text))) return;
  await writeFile(file, text, { mode: 0o600, flush: true });
}

interface Link {
  readonly sequence: number;
  readonly previous: string | null;
}

function recordText(record: object, { sequence, previous }: Link): string {
  return `${JSON.stringify({ sequence, ...record, previous_sha256: previous })}\n`;
}

function nameOf(sequence: number): string {
  return `${String(sequence).padStart(6, '0')}.json`;
}

function hashOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function signedHead(sessionId: string, { records, sha256 }: TrailHead, key: NodeKey): SignedHead {
  const publicKey = Buffer.from(key.publicKey).toString('base64url');
  const signer = { algorithm: 'Ed25519' as const, publicKey, keyId: key.keyId };
  const signed = { session_id: sessionId, records, sha256, signer };
  const signature = Buffer.from(key.sign(signedBytes(signed))).toString('base64url');
  return { ...signed, signature };
}

function signedBytes(signed: object): Buffer {
  const canonical = canonicalJson(signed);
  if (canonical.kind === 'none') throw new Error(`the head of a trail has no canonical text at ${canonical.path}`);
  return Buffer.from(canonical.text, 'utf8');
}

export interface TrailVerdict {
  readonly verdict: 'intact' | 'broken';
  /** Records that are there. */
  readonly records: number;
  /** The hash that the head names; null where there is no head to read. */
  readonly head: string | null;
  readonly firstBad: { readonly file: string; readonly reason: string } | null;
}

/** Verifies a trail by its files alone. Only a head that one of these keys signed counts. */
export async function verifyTrail(folder: string, signers: readonly string[]): Promise<TrailVerdict> {
  const head = await readHead(folder);
  const names = (await namesIn(join(folder, TRAIL_FOLDER))).sort();
  const files = await Promise.all(
    names.map(async (name) => ({ name, bytes: await bytesOf(join(folder, TRAIL_FOLDER, name)) })),
  );
  const firstBad = findForgery(head, signers) ?? findMisfit(files, head as SignedHead);
  const verdict = firstBad === null ? 'intact' : 'broken';
  return { verdict, records: files.length, head: head?.sha256 ?? null, firstBad };
}

type Misfit = NonNullable<TrailVerdict['firstBad']>;

interface TrailFile {
  readonly name: string;
  /** Null for what is no regular file. */
  readonly bytes: Uint8Array | null;
}

function misfit(name: string, reason: string): Misfit {
  return { file: name === HEAD_FILE ? name : `${TRAIL_FOLDER}/${name}`, reason };
}

function findForgery(head: SignedHead | null, signers: readonly string[]): Misfit | null {
  if (head === null) return misfit(HEAD_FILE, 'is missing, or is no head of a trail');
  const { signature, ...signed } = head;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: head.signer.publicKey }, format: 'jwk' });
  const keyId = hashOf(Buffer.from(head.signer.publicKey, 'base64url'));
  if (keyId !== head.signer.keyId || !verify(null, signedBytes(signed), key, Buffer.from(signature, 'base64url'))) {
    return misfit(HEAD_FILE, 'was changed after it was signed');
  }
  return signers.includes(keyId)
    ? null
    : misfit(HEAD_FILE, `is signed by ${keyId}, which is no key of this data folder`);
}

interface ReadTrail {
  readonly files: readonly TrailFile[];
  readonly links: readonly (Link | null)[];
  readonly head: SignedHead;
}

/** The first record that is missing, added, or unlike the hash that the next one or the head has of it. */
function findMisfit(files: readonly TrailFile[], head: SignedHead): Misfit | null {
  const stray = files.find(({ name }) => !NAME.test(name));
  if (stray) return misfit(stray.name, 'is no record of the trail');
  const trail = { files, links: files.map(({ bytes }) => linkOf(bytes, head.session_id)), head };
  for (const at of files.keys()) {
    const found = misfitAt(trail, at);
    if (found) return found;
  }
  return files.length < head.records ? misfit(nameOf(files.length + 1), 'is missing') : null;
}

function misfitAt(trail: ReadTrail, at: number): Misfit | null {
  const { files, links, head } = trail;
  const { name } = files[at] as TrailFile;
  const link = links[at] ?? null;
  if (name !== nameOf(at + 1)) return misfit(nameOf(at + 1), 'is missing');
  if (at >= head.records) return misfit(name, `was added: the signed head ends the trail at record ${head.records}`);
  const strange = strangerAt(trail, at);
  if (strange !== null) return strange;
  if (at === 0 && link?.previous !== null) return misfit(name, 'is not the first record');
  if (isAsHashed(trail, at)) return null;
  // A record that has no right hash of the one before it was changed itself, if its own hash is wrong too.
  const changed = files[at + 1]?.name === nameOf(at + 2) && !isAsHashed(trail, at + 1) ? at + 1 : at;
  const whose = changed + 1 === head.records ? 'head' : 'next record';
  return strangerAt(trail, changed) ?? misfit(nameOf(changed + 1), `was changed: the ${whose} has another hash`);
}

/** A file that is not the record of its place at all. */
function strangerAt({ files, links }: ReadTrail, at: number): Misfit | null {
  const { name, bytes } = files[at] as TrailFile;
  const link = links[at] ?? null;
  if (bytes === null) return misfit(name, 'is no regular file');
  if (link === null) return misfit(name, 'is no record of this session');
  return link.sequence === at + 1 ? null : misfit(name, `is record ${link.sequence}: it was moved here`);
}

/** Whether a record has the hash that the next one or the head has of it; true if the next one is missing. */
function isAsHashed({ files, links, head }: ReadTrail, at: number): boolean {
  if (at + 1 < head.records && files[at + 1]?.name !== nameOf(at + 2)) return true;
  const expected = at + 1 === head.records ? head.sha256 : links[at + 1]?.previous;
  return expected === hashOf(files[at]?.bytes ?? '');
}

/** Null for bytes that are no record of the session. */
function linkOf(bytes: Uint8Array | null, sessionId: string): Link | null {
  const value = parsed(bytes ?? Buffer.alloc(0));
  const { sequence, previous_sha256: previous } = value ?? {};
  if (value?.['session_id'] !== sessionId || typeof sequence !== 'number') return null;
  return previous === null || typeof previous === 'string' ? { sequence, previous } : null;
}

function parsed(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    // Damaged text is an answer here: the record does not fit.
    return null;
  }
}

async function readHead(folder: string): Promise<SignedHead | null> {
  const value = parsed((await bytesOf(join(folder, HEAD_FILE)).catch(absent)) ?? Buffer.alloc(0)) as SignedHead | null;
  if (typeof value?.records !== 'number' || typeof value.sha256 !== 'string') return null;
  const { publicKey, keyId } = value.signer ?? {};
  const texts = [value.signature, value.session_id, keyId];
  if (texts.some((text) => typeof text !== 'string') || !/^[\w-]{43}$/.test(publicKey ?? '')) return null;
  return value;
}

/** Null for what is no regular file: reading a pipe would wait for ever, and a link leads out of the trail. */
async function bytesOf(file: string): Promise<Uint8Array | null> {
  return (await lstat(file)).isFile() ? await readFile(file) : null;
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error) => [...absent(error)].map(String));
}

/** Nothing, for a file or folder that is not there; throws any other error. */
function absent(error: unknown): Buffer {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
  throw error;
}
