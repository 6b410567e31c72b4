const NODE_MAJOR_MIN = 24;

/** Throws on an older Node. The error has no stack, which would show files of this package only. */
export function requireNode(): void {
  if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN) return;
  const error = new Error(`baton-agents needs Node ${NODE_MAJOR_MIN} or newer, this is ${process.version}`);
  error.stack = `Error: ${error.message}`;
  throw error;
}
