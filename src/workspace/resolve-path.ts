import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { PATH_LINKS_MAX } from '../domain/limits.ts';
import type { Place } from '../domain/work/place.ts';

const OTHER_SYSTEM = /^[A-Za-z]:([\\/]|$)|^\\/;

/** A path of another system is never taken as a name here, though it could be one. */
export function isPathOfOtherSystem(path: string): boolean {
  return sep === '/' && OTHER_SYSTEM.test(path);
}

/**
 * Resolves a path against a folder, one name after the other. Every link is followed, `..` is the parent of the link's
 * target, and a name that does not exist is kept.
 */
export function resolvePath(path: string, folder: string): Place {
  if (isPathOfOtherSystem(path)) return { kind: 'other-system' };
  if (path === '') return { kind: 'unreadable', reason: 'it is empty' };
  if (path.includes('\0')) return { kind: 'unreadable', reason: 'it has a zero byte' };
  try {
    return walk(isAbsolute(path) ? path : `${folder}${sep}${path}`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { kind: 'unreadable', reason: REASONS[code] ?? message };
  }
}

/** The path without links, also of a file that does not exist yet; null where it leads nowhere. */
export function realPathOf(path: string, folder: string): string | null {
  const place = resolvePath(path, folder);
  return place.kind === 'there' || place.kind === 'missing' ? place.realPath : null;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: 'a file stands where it needs a folder',
  EACCES: 'it may not be looked at',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'it is too long',
};

function walk(whole: string): Place {
  const left = partsOf(whole).reverse();
  let at: string = sep;
  let stats: Stats | undefined = lstatSync(at);
  for (let links = 0; left.length > 0; ) {
    const part = left.pop() as string;
    if (stats && !stats.isDirectory()) throw failure('ENOTDIR');
    const next = part === '..' ? dirname(at) : join(at, part);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (!found?.isSymbolicLink()) {
      at = next;
      stats = found;
      continue;
    }
    if (++links > PATH_LINKS_MAX) throw failure('ELOOP');
    const target = readlinkSync(next);
    left.push(...partsOf(target).reverse());
    if (!isAbsolute(target)) continue;
    at = sep;
    stats = lstatSync(at);
  }
  if (!stats) return { kind: 'missing', realPath: at };
  return { kind: 'there', realPath: at, what: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other' };
}

function partsOf(path: string): string[] {
  return path.split(sep).filter((part) => part !== '' && part !== '.');
}

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}
