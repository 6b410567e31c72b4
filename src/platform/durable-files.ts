import { closeSync, fsyncSync, openSync } from 'node:fs';

/** What was written to a file, and that it is there at all, survives a power cut only after its own sync. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
