import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { syncPath } from './files/durable-files.ts';
import { readOwnFile } from './files/read-own-file.ts';
import { KeyFault } from './key-fault.ts';

/** The Ed25519 key that a node signs with. */
export interface NodeKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** SHA-256 of the public key, in hexadecimal. */
  readonly keyId: string;
  sign(bytes: Uint8Array): Uint8Array;
  /** The key by which this node agrees on secrets with others (X25519); it follows from the signing key. */
  exchangeKey(): KeyObject;
  /** 32 secret bytes for one purpose, which follow from the signing key; those of another purpose tell nothing about them. */
  secretFor(purpose: string): Uint8Array;
}

const NAME = 'node.key';
const BYTES_MAX = 4_096;
const RAW_KEY_BYTES = 32;

/**
 * The key of a data folder, created on first use. Concurrent callers get the same key. A file that is no key, such as a
 * torn one, is moved aside, and a new key is made: receipts carry their own public key. A key of another kind or of
 * another user is refused.
 */
export function openNodeKey(folder: string): NodeKey {
  const path = join(folder, NAME);
  const found = readKey(path);
  if (found !== null && !isKey(found)) renameSync(path, `${path}.damaged`);
  const usable = found !== null && isKey(found) ? found : null;
  return keyOf(path, usable ?? makeKey(path) ?? readKey(path) ?? '');
}

/** Null if the key can be used or does not exist yet; else one sentence about it. Changes nothing. */
export function findKeyProblem(folder: string): string | null {
  const path = join(folder, NAME);
  try {
    const found = readKey(path);
    if (found !== null) keyOf(path, found);
    return null;
  } catch (error) {
    if (error instanceof KeyFault) return error.message;
    throw error;
  }
}

/** One key id a line. A key that was lost or replaced has signed receipts, too. */
const SIGNERS = 'signers';

/** Records the key before its first signature, so that a receipt stays this node's own after the key is gone. */
export function rememberSigner(folder: string, { keyId }: Pick<NodeKey, 'keyId'>): void {
  if (!rememberedSigners(folder).includes(keyId))
    appendFileSync(join(folder, SIGNERS), `${keyId}\n`, { mode: 0o600, flush: true });
}

/** The ids of the keys that have signed for this data folder, the present one first. Creates nothing. */
export function signersOf(folder: string): readonly string[] {
  return [...new Set([...presentSigner(folder), ...rememberedSigners(folder)])];
}

/** One key id and the node that has it a line. */
const PEER_SIGNERS = 'peer-signers';

/** Records whose key signed a receipt that came from another node; the caller has compared it with the key pinned for that node. */
export function rememberPeerSigner(
  folder: string,
  { keyId, node }: { readonly keyId: string; readonly node: string },
): void {
  if (peerOfSigner(folder, keyId) !== node) {
    appendFileSync(join(folder, PEER_SIGNERS), `${keyId} ${node}\n`, { mode: 0o600, flush: true });
  }
}

/** The node that has a key, as it was recorded last; null where no result of it came here. Creates nothing. */
export function peerOfSigner(folder: string, keyId: string): string | null {
  const lines = linesIn(join(folder, PEER_SIGNERS)).filter((line) => line.startsWith(`${keyId} `));
  return lines.at(-1)?.slice(keyId.length + 1) ?? null;
}

function presentSigner(folder: string): readonly string[] {
  const path = join(folder, NAME);
  try {
    const found = readKey(path);
    return found === null ? [] : [keyOf(path, found).keyId];
  } catch {
    // A key that is torn, of another program or unreadable signs nothing; baton doctor names it.
    return [];
  }
}

function rememberedSigners(folder: string): readonly string[] {
  return linesIn(join(folder, SIGNERS));
}

function linesIn(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return [];
  }
}

function isKey(pem: string): boolean {
  try {
    createPrivateKey(pem);
    return true;
  } catch {
    // Empty, torn, or something else.
    return false;
  }
}

/** Null if another process was faster: its key counts. */
function makeKey(path: string): string | null {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  try {
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(file, pem);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // Unlike a rename, a link never replaces an existing key.
    linkSync(draft, path);
    syncPath(dirname(path));
    return pem;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Null if there is none. */
function readKey(path: string): string | null {
  return readOwnFile(path, {
    fault: (message) => new KeyFault(message),
    read: ({ isShared, size, text }) => {
      // Longer than any key: a file that is no key.
      if (size > BYTES_MAX) return '';
      if (isShared) chmodSync(path, 0o600);
      return text();
    },
  });
}

function keyOf(path: string, pem: string): NodeKey {
  const key = privateKeyOf(path, pem);
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url');
  if (publicKey.length !== RAW_KEY_BYTES) throw new KeyFault(`${path} is no Ed25519 key`);
  const keyId = createHash('sha256').update(publicKey).digest('hex');
  const secretFor = (purpose: string) => derive(key, purpose);
  return {
    publicKey,
    keyId,
    sign: (bytes) => sign(null, bytes, key),
    exchangeKey: () => exchangeKeyOf(key),
    secretFor,
  };
}

/** The beginning of every X25519 key in DER (RFC 8410). */
const X25519_DER = Buffer.from('302e020100300506032b656e04220420', 'hex');
const EXCHANGE = 'baton federation exchange 1';

/** Derived, so that a data folder has one key to keep. No other use of the signing key yields these bytes. */
function exchangeKeyOf(key: KeyObject): KeyObject {
  return createPrivateKey({ key: Buffer.concat([X25519_DER, derive(key, EXCHANGE)]), format: 'der', type: 'pkcs8' });
}

function derive(key: KeyObject, purpose: string): Uint8Array {
  const { d = '' } = key.export({ format: 'jwk' });
  return Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', purpose, RAW_KEY_BYTES));
}

function privateKeyOf(path: string, pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    throw new KeyFault(`${path} is damaged`, { cause: error });
  }
  throw new KeyFault(`${path} is no Ed25519 key`);
}
