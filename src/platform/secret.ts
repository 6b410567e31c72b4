/** 256 random bits in characters that a header, a file and a shell all take as they are. */
export function randomSecret(): string {
  // Not imported: every command comes by here, and the few that make a folder need it.
  return process.getBuiltinModule('node:crypto').randomBytes(32).toString('base64url');
}
