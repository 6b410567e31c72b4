import { createHash } from 'node:crypto';

/** Whether bytes are those that a name stands for: their SHA-256 in hexadecimal. */
export function isBlobOf(hash: string, bytes: Uint8Array): boolean {
  return createHash('sha256').update(bytes).digest('hex') === hash;
}
