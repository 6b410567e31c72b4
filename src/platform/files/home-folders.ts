import { homedir, userInfo } from 'node:os';
import { realPathAsFar } from './real-path.ts';

/** The homes of this user by their real paths: the one that HOME names, and the one that the system has recorded. */
export function homeFolders(): readonly string[] {
  const named = [homedir(), recordedHome()].filter((home) => home !== '');
  return [...new Set(named.flatMap((home) => [home, realPathAsFar(home)]))];
}

function recordedHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    // A user id without an entry, as in some containers.
    return '';
  }
}
