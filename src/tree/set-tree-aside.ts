import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { STATUS_FOLDERS } from './tree-paths.ts';

/** Folders in which nothing but the mirror's own files stands. */
const WHOLE_FOLDERS = ['runs', 'events'];

/**
 * Moves the files that show another ledger into a folder of their own, so that none of them is taken for a person's
 * edit. The companion folders of tasks stay: what agents made is no mirror of anything. Done again after a crash, it
 * moves what is left.
 */
export function setTreeAside(root: string, name: string): void {
  const aside = join(root, name);
  for (const folder of WHOLE_FOLDERS) {
    const from = join(root, folder);
    const to = join(aside, folder);
    if (existsSync(from) && !existsSync(to)) moveInto(aside, from, to);
  }
  for (const folder of STATUS_FOLDERS) {
    const from = join(root, folder);
    const files = existsSync(from) ? readdirSync(from).filter((file) => file.endsWith('.md')) : [];
    for (const file of files) moveInto(join(aside, folder), join(from, file), join(aside, folder, file));
  }
}

function moveInto(folder: string, from: string, to: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  renameSync(from, to);
}
