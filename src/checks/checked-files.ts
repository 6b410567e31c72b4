import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import type { MadeCheck } from '../domain/execution/check-result.ts';
import { HASHED_FILE_BYTES_MAX, RECEIPT_FILES_MAX } from '../domain/limits.ts';
import { isWithin } from '../domain/work/path-text.ts';
import type { CheckedFile, Receipt } from './receipt.ts';
import { resolveTaskPath, type WorkspacePlaces } from './workspace-places.ts';

export interface FileSources {
  /** Expected outputs and files that the run changed. */
  readonly paths: readonly string[];
  readonly checks: readonly MadeCheck[];
}

export interface CheckedFiles {
  readonly files: readonly CheckedFile[];
  readonly leftOut: number;
}

/** Hashes the files that a receipt lists: each once, in the order of their paths. */
export async function collectFiles({ paths, checks }: FileSources, places: WorkspacePlaces): Promise<CheckedFiles> {
  const named = [...paths, ...checks.flatMap(pathsOfCheck)].map((path) => receiptPath(path, places));
  const wanted = [...new Set(named)].sort();
  const files: CheckedFile[] = [];
  let leftOut = 0;
  for (const path of wanted) {
    if (files.length >= RECEIPT_FILES_MAX) leftOut++;
    else {
      const file = await hashNamed(path, places);
      if (file) files.push(file);
    }
  }
  return { files, leftOut };
}

/** Words of a command that may be files, also behind an = as in --config=x.json. */
function pathsOfCheck({ argv, path }: MadeCheck): readonly string[] {
  const words = argv?.[0] === '/bin/sh' && argv[1] === '-c' ? (argv[2] ?? '').split(/[\s"'|&;<>()]+/) : (argv ?? []);
  const values = words.flatMap((word) => (word.includes('=') ? [word, word.slice(word.indexOf('=') + 1)] : [word]));
  return [...values, ...(path === null ? [] : [path])].filter((word) => word !== '' && !word.startsWith('-'));
}

/** Relative to the workspace where it lies inside, so that a file has one name. */
function receiptPath(path: string, { workspaceRoot }: WorkspacePlaces): string {
  const absolute = resolve(workspaceRoot, path);
  return isWithin(workspaceRoot, absolute) ? relative(workspaceRoot, absolute) : absolute;
}

async function hashNamed(path: string, places: WorkspacePlaces): Promise<CheckedFile | null> {
  const place = resolveTaskPath(path, places);
  if (place.kind !== 'there' || place.what !== 'file') return null;
  try {
    const hashed = await hashFile(place.realPath);
    return hashed && { path, ...hashed };
  } catch (error) {
    // A file that is gone or unreadable was not checked.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}

export interface StaleFile {
  readonly path: string;
  readonly now: 'changed' | 'missing';
}

/** Finds files that have changed since they were checked: they make a receipt stale. */
export async function findStaleFiles(
  { files }: Pick<Receipt, 'files'>,
  places: WorkspacePlaces,
): Promise<readonly StaleFile[]> {
  const stale: StaleFile[] = [];
  for (const file of files) {
    const now = await compareNow(file, places);
    if (now !== 'same') stale.push({ path: file.path, now });
  }
  return stale;
}

async function compareNow(file: CheckedFile, places: WorkspacePlaces): Promise<'same' | StaleFile['now']> {
  const place = resolveTaskPath(file.path, places);
  if (place.kind !== 'there') return place.kind === 'missing' ? 'missing' : 'changed';
  try {
    const { size, mtimeMs } = await stat(place.realPath);
    if (size !== file.size) return 'changed';
    if (Math.trunc(mtimeMs) === file.mtimeMs) return 'same';
    return (await hashFile(place.realPath))?.sha256 === file.sha256 ? 'same' : 'changed';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return code === 'ENOENT' ? 'missing' : 'changed';
  }
}

/** Whether the files of a receipt are as they were checked. */
export type FileComparison =
  | { readonly kind: 'compared'; readonly staleFiles: readonly string[] }
  /** The workspace is not on this machine. */
  | { readonly kind: 'absent' };

/** Compares the files of a receipt with the workspace that it names. Files outside of that are not read. */
export async function compareFiles(receipt: Pick<Receipt, 'workspace' | 'files'>): Promise<FileComparison> {
  const { workspace } = receipt;
  if (!isAbsolute(workspace) || !existsSync(workspace)) return { kind: 'absent' };
  const files = receipt.files.filter(({ path }) => !isAbsolute(path));
  const stale = await findStaleFiles({ files }, { workspaceRoot: workspace, readPaths: [], mounts: [] });
  return { kind: 'compared', staleFiles: stale.map(({ path }) => path) };
}

export interface HashedFile {
  readonly size: number;
  /** Whole milliseconds: with fractions two texts could mean the same number. */
  readonly mtimeMs: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** Opening a pipe does not wait, and a link is not followed. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Null for anything but a plain file, and for a file that would take minutes to read. */
export async function hashFile(realPath: string): Promise<HashedFile | null> {
  const file = await open(realPath, FLAGS);
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > HASHED_FILE_BYTES_MAX) return null;
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
    }
    return { size, mtimeMs: Math.trunc(stat.mtimeMs), sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}
