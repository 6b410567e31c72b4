import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tryFolderLock } from '../platform/folder-lock.ts';
import { type NodeFile, readLiveNode } from '../platform/node-file.ts';

/** Who has a folder, for one who only looks. */
export type SeenHolder =
  | { readonly kind: 'node'; readonly node: NodeFile }
  | { readonly kind: 'somebody' }
  | { readonly kind: 'nobody' };

export function lookAtHolder(folder: string): SeenHolder {
  const node = readLiveNode(folder);
  if (node) return { kind: 'node', node };
  const file = join(folder, 'lock.sqlite');
  if (!existsSync(file)) return { kind: 'nobody' };
  const lock = tryFolderLock(file);
  lock?.release();
  return { kind: lock ? 'nobody' : 'somebody' };
}
