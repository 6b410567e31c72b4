import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { PATH_LINKS_MAX } from '../domain/limits.ts';
import { isWithin } from '../domain/path-text.ts';
import { findPlace, onThisMachine, type WorkspacePlaces } from './workspace-places.ts';

/** Readable for every process anyway: the interpreter of a new Python environment is a link to one of these. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/nix/store'];

/**
 * The first word of a check that names a file of the workspace, but leads out of it by a link that came since the agent
 * started: the check would show or run a file that the task does not grant. Null if there is none. Links are dated by
 * their change time, which no process can set.
 */
export function findLinkOut(argv: readonly string[], places: WorkspacePlaces, sinceMs: number): string | null {
  return argv.flatMap(pathsIn).find((path) => leadsOut(path, places, sinceMs)) ?? null;
}

/** A word may be a path, hold one behind an =, or be a command line for a shell. */
function pathsIn(word: string): string[] {
  const parts = word.split(/[\s"'|&;<>()]+/);
  const values = parts.flatMap((part) => (part.includes('=') ? [part, part.slice(part.indexOf('=') + 1)] : [part]));
  return [word, ...values].filter((path) => path !== '' && !path.startsWith('-'));
}

function leadsOut(path: string, places: WorkspacePlaces, sinceMs: number): boolean {
  const { workspaceRoot } = places;
  if (!isWithin(workspaceRoot, resolve(workspaceRoot, path))) return false;
  if (findPlace(path, places).kind !== 'outside') return false;
  const root = onThisMachine(workspaceRoot, places);
  const end = endOfLinks(onThisMachine(path, places), { root, sinceMs, linksMax: PATH_LINKS_MAX });
  return end.isNew && !SYSTEM_FOLDERS.some((folder) => isWithin(folder, end.path));
}

interface LinkWalk {
  readonly root: string;
  readonly sinceMs: number;
  readonly linksMax: number;
}

interface LinkEnd {
  readonly path: string;
  readonly isNew: boolean;
}

/** Follows links as long as they stay in the folder; whether one of them is new. */
function endOfLinks(path: string, walk: LinkWalk): LinkEnd {
  const { root, sinceMs, linksMax } = walk;
  const parts = relative(root, path).split(sep);
  let at = root;
  for (const [index, part] of parts.entries()) {
    at = join(at, part);
    const stats = statsOf(at);
    if (!stats?.isSymbolicLink()) continue;
    const target = join(resolve(dirname(at), readlinkSync(at)), ...parts.slice(index + 1));
    const isNew = stats.ctimeMs >= sinceMs;
    if (!isWithin(root, target) || linksMax === 0) return { path: target, isNew };
    const end = endOfLinks(target, { ...walk, linksMax: linksMax - 1 });
    return { path: end.path, isNew: isNew || end.isNew };
  }
  return { path: at, isNew: false };
}

function statsOf(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}
