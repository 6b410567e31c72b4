import { relative, resolve } from 'node:path';
import type { MadeCheck } from '../../domain/execution/fact.ts';
import { RECEIPT_FILES_MAX } from '../../domain/limits.ts';
import { isWithin } from '../../domain/path-text.ts';
import { findPlace, type WorkspacePlaces } from '../workspace-places.ts';
import { hashFile } from './hash-file.ts';
import type { CheckedFile } from './receipt.ts';

export interface FileSources {
  /** Outputs that were asked for, and artifacts: what the run changed. */
  readonly paths: readonly string[];
  readonly checks: readonly MadeCheck[];
}

export interface CollectedFiles {
  readonly files: readonly CheckedFile[];
  readonly leftOut: number;
}

/** The files that a receipt speaks of, as they are now, each once and in the order of their paths. */
export async function collectFiles({ paths, checks }: FileSources, places: WorkspacePlaces): Promise<CollectedFiles> {
  const named = [...paths, ...checks.flatMap(pathsOfCheck)].map((path) => receiptPath(path, places));
  const wanted = [...new Set(named)].sort();
  const files: CheckedFile[] = [];
  let leftOut = 0;
  for (const path of wanted) {
    if (files.length >= RECEIPT_FILES_MAX) leftOut++;
    else {
      const file = await look(path, places);
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

/** As a receipt names it: the same file has one name. */
function receiptPath(path: string, { workspaceRoot }: WorkspacePlaces): string {
  const absolute = resolve(workspaceRoot, path);
  return isWithin(workspaceRoot, absolute) ? relative(workspaceRoot, absolute) : absolute;
}

async function look(path: string, places: WorkspacePlaces): Promise<CheckedFile | null> {
  const place = findPlace(path, places);
  if (place.kind !== 'there' || place.what !== 'file') return null;
  try {
    const hashed = await hashFile(place.realPath);
    return hashed && { path, ...hashed };
  } catch (error) {
    // Gone, or closed to us: it is not among what was checked.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}
