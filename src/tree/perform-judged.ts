import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { MIRROR_FILE_BYTES_MAX } from '../domain/limits.ts';
import { crashPoint } from '../platform/crash-point.ts';
import { readTreeFile } from './read-tree-file.ts';
import { rejectedNames } from './rejected-names.ts';
import type { Judged } from './tree-commands.ts';

type Work = Pick<Extract<Judged, { kind: 'judged' }>, 'removals' | 'asides'>;

/** What was judged goes, or gets another name. What somebody changed meanwhile stays: it is looked at again. */
export function performJudged(root: string, { removals, asides }: Work): void {
  for (const { path, as } of asides) keepAs(root, path, as);
  for (const { path, sha256 } of removals) {
    const reading = readTreeFile({ root, path, bytesMax: MIRROR_FILE_BYTES_MAX });
    if (reading.kind !== 'file' || reading.sha256 !== sha256) continue;
    fs.unlinkSync(join(root, path));
    crashPoint('mirror.removed');
  }
}

function keepAs(root: string, path: string, as: string): void {
  if (!fs.lstatSync(join(root, path), { throwIfNoEntry: false })) return;
  const isTaken = fs.lstatSync(join(root, as), { throwIfNoEntry: false }) !== undefined;
  const name = isTaken ? (rejectedNames(root, as, 1)[0] ?? as) : as;
  fs.mkdirSync(dirname(join(root, name)), { recursive: true, mode: 0o700 });
  fs.renameSync(join(root, path), join(root, name));
}
