import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { LINK_MODE } from '../../domain/work/judge-tree.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import type { TreeChange } from '../../workspace/shadow/commit-changes.ts';
import type { ShadowPlace } from '../../workspace/shadow/private-repository.ts';
import { readWorkFile } from '../../workspace/shadow/work-file.ts';
import { includeFiles } from '../../workspace/worktree/include-files.ts';
import type { WorkMeta } from './work-meta.ts';

export interface IncludedRequest {
  readonly place: ShadowPlace;
  /** Files that git ignores and that travel all the same: `worktree.include`. */
  readonly include: readonly string[];
  readonly bytesMax: number;
}

interface IncludedFiles extends Pick<WorkMeta, 'modes'> {
  readonly changes: readonly TreeChange[];
}

/** The folder of included files in the tree of the commit that goes beside the work. */
export const INCLUDED = 'files';
const RIGHTS = 0o777;

/** Reads the files of `worktree.include`. They are copied first: one that turns into a link meanwhile does not lead out. */
export async function readIncluded({ place, include, bytesMax }: IncludedRequest): Promise<IncludedFiles | Refusal> {
  if (include.length === 0) return { changes: [], modes: {} };
  const parent = join(place.dataFolder, 'travel', 'outgoing');
  makeFoldersIn(place.dataFolder, parent);
  const copy = mkdtempSync(join(parent, 'include-'));
  try {
    const found = await includeFiles(place.root, copy, include);
    if (isRefusal(found)) return found;
    const sizes = found.included.map((name) => lstatSync(join(copy, name)).size);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (bytes <= bytesMax) return includedIn(copy, found.included);
    const message = `the files of worktree.include have ${bytes} bytes; at most ${bytesMax} travel to another node`;
    return { ...refuse('work_too_large', message), details: include };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function includedIn(copy: string, names: readonly string[]): IncludedFiles {
  const modes: Record<string, number> = {};
  const changes = names.flatMap((text): TreeChange[] => {
    const name = Buffer.from(text);
    const read = readWorkFile(copy, name);
    if (!read) return [];
    if (read.mode !== LINK_MODE) modes[name.toString('latin1')] = lstatSync(join(copy, text)).mode & RIGHTS;
    return [{ kind: 'bytes', name: Buffer.concat([Buffer.from(`${INCLUDED}/`), name]), object: '', ...read }];
  });
  return { changes, modes };
}
