/** 256 random bits in base64url, which needs no escaping in a header, a file or a shell. */
export function randomSecret(): string {
  // Loaded on demand: every command loads this file, and few make a secret.
  return process.getBuiltinModule('node:crypto').randomBytes(32).toString('base64url');
}
