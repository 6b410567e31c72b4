import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../../domain/repository.ts';
import type { FileModes } from '../files/file-modes.ts';

/** Objects and refs of all shadows of one repository, below the data folder, where no agent can write. */
export interface ObjectStore {
  readonly folder: string;
  readonly objects: string;
}

/** A commit, and the tree of its files. */
export interface Basis {
  readonly commit: string;
  readonly tree: string;
}

export interface NamedCommit {
  readonly ref: string;
  readonly commit: string;
  readonly modes?: FileModes;
}

const MODES = '.modes';

export function openStore(keptFolder: string, { commonDir }: Repository): ObjectStore {
  const name = createHash('sha256').update(commonDir).digest('hex').slice(0, 24);
  const folder = join(keptFolder, `${name}.store`);
  const objects = join(folder, 'objects');
  if (!existsSync(objects)) {
    for (const part of ['commits', 'names', 'objects/pack', 'objects/info']) {
      mkdirSync(join(folder, part), { recursive: true, mode: 0o700 });
    }
  }
  return { folder, objects };
}

/** A commit whose files are all in the store; null for any other. */
export function storedCommit({ folder }: ObjectStore, commit: string): Basis | null {
  const file = join(folder, 'commits', commit);
  return existsSync(file) ? { commit, tree: readFileSync(file, 'utf8') } : null;
}

export function noteCommit({ folder }: ObjectStore, { commit, tree }: Basis): void {
  writeFileSync(join(folder, 'commits', commit), tree, { mode: 0o600 });
}

/** The commit that was recorded under a name such as refs/baton/TASK/1/before; null where there is none. */
export function namedCommit({ folder }: ObjectStore, ref: string): string | null {
  const file = join(folder, 'names', fileNameOf(ref));
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

export function nameCommit({ folder }: ObjectStore, { ref, commit, modes }: NamedCommit): void {
  const file = join(folder, 'names', fileNameOf(ref));
  if (modes) writeFileSync(`${file}${MODES}`, JSON.stringify(modes), { mode: 0o600 });
  writeFileSync(file, commit, { mode: 0o600 });
}

/** The file modes recorded under a name; null where they are unknown. */
export function namedModes({ folder }: ObjectStore, ref: string): FileModes | null {
  const file = `${join(folder, 'names', fileNameOf(ref))}${MODES}`;
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as FileModes) : null;
}

/** The last commit that was copied into the repository, and its ref. */
export function lastShown({ folder }: ObjectStore): NamedCommit | null {
  const file = join(folder, 'shown');
  if (!existsSync(file)) return null;
  const [ref = '', commit = ''] = readFileSync(file, 'utf8').split(' ');
  return { ref, commit };
}

export function noteShown({ folder }: ObjectStore, { ref, commit }: NamedCommit): void {
  writeFileSync(join(folder, 'shown'), `${ref} ${commit}`, { mode: 0o600 });
}

/** From now on git also searches the repository for objects that the store does not have. */
export function borrowFrom({ objects }: ObjectStore, theirs: string): void {
  writeFileSync(join(objects, 'info', 'alternates'), `${JSON.stringify(theirs)}\n`, { mode: 0o600 });
}

/** Creates the folder for the objects of one shadow; remains of a crash are removed. */
export function emptyIntake({ folder }: ObjectStore, name: string): string {
  const intake = join(folder, `intake-${name}`);
  rmSync(intake, { recursive: true, force: true });
  mkdirSync(intake, { mode: 0o700 });
  return intake;
}

function fileNameOf(ref: string): string {
  return ref.replaceAll('/', '+');
}
