import { accessSync, constants, lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { withoutEnd } from '../domain/words/without-end.ts';

/** Why a vendor's program could not keep its login and sessions, with what to do; null if it can. */
export function blockedPlace(writePaths: readonly string[]): string | null {
  return writePaths.map(whyBlocked).find((why) => why !== null) ?? null;
}

function whyBlocked(place: string): string | null {
  const path = withoutEnd(place, '/');
  const found = nearestEntry(path);
  const mustBeFolder = place !== path || found !== path;
  const stats = statSync(found, { throwIfNoEntry: false });
  if (stats === undefined)
    return `${found} is a link to ${readlinkSync(found)}, which is not there; ${WHY}: remove the link`;
  if (mustBeFolder && !stats.isDirectory()) return `${found} is no folder, and ${WHY}; move it away`;
  try {
    accessSync(found, constants.W_OK);
    return null;
  } catch (error) {
    const isReadOnly = (error as NodeJS.ErrnoException).code === 'EROFS';
    const cure = isReadOnly ? 'its file system is read-only' : `make it yours: chmod u+w ${found}`;
    return `${found} cannot be written, and ${WHY}; ${cure}`;
  }
}

const WHY = 'the agent keeps its sessions there';

/** The path itself, or the innermost thing above it that is there. */
function nearestEntry(path: string): string {
  try {
    lstatSync(path);
    return path;
  } catch {
    // Absent, or below something that is no folder.
    return nearestEntry(dirname(path));
  }
}
