import { randomBytes } from 'node:crypto';

/** 256 random bits in characters that a header, a file and a shell all take as they are. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}
