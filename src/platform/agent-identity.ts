import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { replaceFile } from './files/durable-files.ts';
import { type FolderLock, tryFolderLock } from './files/folder-lock.ts';
import { readOwnFile } from './files/read-own-file.ts';
import { IdentityFault } from './key-fault.ts';

/** An external agent as its own machine keeps it: the node that it is enrolled at, its key and its tokens. */
export interface AgentIdentity {
  readonly url: string;
  /** With TLS, the fingerprint of the node's certificate; absent where the authorities of the machine decide. */
  readonly certSha256?: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly scopes: readonly string[];
  /** The private key as a JWK. */
  readonly key: Readonly<Record<string, unknown>>;
  readonly accessToken: string;
  /** Milliseconds since 1970, by the clock of this machine. */
  readonly accessEndsAt: number;
  readonly refreshToken: string;
}

const BYTES_MAX = 64 * 1_024;

/** Null if there is no file. A file that others could read or change is refused, and one that is no identity. */
export function readIdentity(path: string): AgentIdentity | null {
  const fault = (message: string) => new IdentityFault(message);
  return readOwnFile(path, {
    fault,
    read: ({ isShared, size, text }) => {
      if (isShared) throw fault(`${path} can be read by others: chmod 600 ${path}`);
      return parse(path, size > BYTES_MAX ? '' : text());
    },
  });
}

/** Replaces the file in one rename, with mode 0600; it survives a power cut. */
export function writeIdentity(path: string, identity: AgentIdentity): void {
  replaceFile(path, `${JSON.stringify(identity, null, 2)}\n`);
}

export function removeIdentity(path: string): void {
  rmSync(path, { force: true });
}

/** A new Ed25519 key as a JWK. */
export function newAgentKey(): Readonly<Record<string, unknown>> {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
}

export function agentKeyOf(jwk: AgentIdentity['key']): KeyObject {
  return createPrivateKey({ key: { ...jwk }, format: 'jwk' });
}

/** Held by the one process that exchanges the refresh token of a file; null while another has it. */
export function tryIdentityLock(path: string): FolderLock | null {
  return tryFolderLock(`${path}.lock`);
}

/** The last nonce of the node, beside the file of an identity; null where none was kept. Losing it costs one request. */
export function readNonce(path: string): string | null {
  try {
    return readFileSync(`${path}.nonce`, 'latin1');
  } catch {
    // The first call, or a file that cannot be read: the node sends one.
    return null;
  }
}

export function writeNonce(path: string, nonce: string): void {
  try {
    replaceFile(`${path}.nonce`, nonce, { isSynced: false });
  } catch {
    // The next call asks for one.
  }
}

function parse(path: string, text: string): AgentIdentity {
  try {
    const { url, agent, sessionId, scopes, key, accessToken, accessEndsAt, refreshToken, certSha256 } = JSON.parse(
      text,
    ) as Partial<AgentIdentity>;
    const texts = [url, agent, sessionId, accessToken, refreshToken].every((value) => typeof value === 'string');
    if (!texts || typeof key !== 'object' || !Array.isArray(scopes) || typeof accessEndsAt !== 'number')
      throw new SyntaxError('not whole');
    return {
      ...({ url, agent, sessionId, scopes, key, accessToken, accessEndsAt, refreshToken } as AgentIdentity),
      ...(typeof certSha256 === 'string' && { certSha256 }),
    };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new IdentityFault(`${path} is no identity of an external agent`, { cause: error });
  }
}
