import type { Repository } from '../domain/work/repository.ts';
import { gitLine } from './git.ts';

/** Compares a file of the work tree with a commit, byte for byte: no filter of the repository runs. */
export async function compareWithCommit(
  { gitDir, root }: Repository,
  commit: string,
  name: string,
): Promise<'absent' | 'same' | 'changed'> {
  const place = { gitDir, workTree: root };
  const entry = await gitLine(place, { args: ['ls-tree', '--full-tree', commit, '--', name], exitCodes: [0, 128] });
  if (entry === '') return 'absent';
  const present = await gitLine(place, { args: ['hash-object', '--no-filters', '--', name] });
  return entry.split(/\s/)[2] === present ? 'same' : 'changed';
}
