import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';

export interface CommitFacts {
  readonly tree: string;
  readonly parent: string | null;
  readonly atMs: number;
  /** Such as `TASK-2026-02-09-057 1/before`. */
  readonly label: string;
}

const BATON = 'Baton <baton@localhost>';
const SHA256_CHARACTERS = 64;

/** Writes a commit among the objects of a folder where it is not yet, as `git commit-tree` would. */
export function writeCommit(objects: string, facts: CommitFacts): string {
  const bytes = commitBytes(facts);
  const hash = createHash(facts.tree.length === SHA256_CHARACTERS ? 'sha256' : 'sha1');
  const name = hash.update(bytes).digest('hex');
  const folder = join(objects, name.slice(0, 2));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = openSync(join(folder, name.slice(2)), 'w', 0o444);
  try {
    writeSync(file, deflateSync(bytes));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return name;
}

function commitBytes({ tree, parent, atMs, label }: CommitFacts): Buffer {
  const who = `${BATON} ${Math.floor(atMs / 1000)} +0000`;
  const parents = parent === null ? '' : `parent ${parent}\n`;
  const text = `tree ${tree}\n${parents}author ${who}\ncommitter ${who}\n\nbaton: ${label}\n`;
  return Buffer.from(`commit ${Buffer.byteLength(text)}\0${text}`);
}
