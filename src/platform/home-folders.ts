import { realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';

/** The homes of this user by their real paths: the one that HOME names, and the one that the system has recorded. */
export function homeFolders(): readonly string[] {
  const named = [homedir(), recordedHome()].filter((home) => home !== '');
  return [...new Set(named.flatMap((home) => [home, realPathOf(home)]))];
}

function recordedHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    // A user id without an entry, as in some containers.
    return '';
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It does not exist.
    return path;
  }
}
