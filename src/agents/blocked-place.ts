import { accessSync, constants, statSync } from 'node:fs';

/** Why a vendor's program could not keep its login and sessions, with what to do; null if it can. */
export function blockedPlace(writePaths: readonly string[]): string | null {
  return writePaths.map(whyBlocked).find((why) => why !== null) ?? null;
}

function whyBlocked(place: string): string | null {
  const path = place.replace(/\/+$/, '');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (place !== path && !stats.isDirectory())
    return `${path} is no folder, and the agent keeps its sessions there; move it away`;
  try {
    accessSync(path, constants.W_OK);
    return null;
  } catch {
    return `${path} cannot be written, and the agent keeps its sessions there; make it yours: chmod u+w ${path}`;
  }
}
