import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TREE_COMPARED_FILES_MAX } from '../domain/limits.ts';
import { countUnmirrored } from '../ledger/statements/mirror-files.ts';
import type { Reader } from '../ledger/tx.ts';

export interface TreeDifferences {
  /** The number of files that are as recorded. */
  readonly same: number;
  readonly missing: readonly string[];
  readonly changed: readonly string[];
  /** The number of tasks whose files are not written yet. */
  readonly unwritten: number;
  /** True if there are more files than were compared. */
  readonly isCut: boolean;
}

/** Compares the files of the tree with their recorded hashes and changes neither. */
export function findDifferences(read: Reader, root: string): TreeDifferences {
  const sql = 'SELECT path, sha256, next_sha256 FROM mirror_files ORDER BY task_id DESC, path LIMIT ?';
  const rows = read.tuples(sql, TREE_COMPARED_FILES_MAX + 1);
  const missing: string[] = [];
  const changed: string[] = [];
  for (const [path, sha256, next] of rows.slice(0, TREE_COMPARED_FILES_MAX)) {
    const found = hashOf(join(root, path as string));
    if (found === null) missing.push(path as string);
    else if (found !== sha256 && found !== next) changed.push(path as string);
  }
  const looked = Math.min(rows.length, TREE_COMPARED_FILES_MAX);
  return {
    same: looked - missing.length - changed.length,
    missing,
    changed,
    unwritten: countUnmirrored(read),
    isCut: rows.length > TREE_COMPARED_FILES_MAX,
  };
}

function hashOf(path: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    // Missing or unreadable.
    return null;
  }
}
