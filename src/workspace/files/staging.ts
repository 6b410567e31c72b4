import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FileChange, FileVersion } from '../diff-shadows.ts';
import { git } from '../git.ts';
import { type PrivateRepository, type ShadowPlace, STAGING } from '../shadow/private-repository.ts';

/** The bytes of a file, by the name of their object. */
export interface StagedVersion extends FileVersion {
  readonly name: Buffer;
}

const NUL = Buffer.from([0]);

/** A folder on the disk of the workspace, in which all files are prepared before any is moved. */
export interface Staging {
  readonly folder: string;
  /** New files, under their final names. */
  readonly files: string;
  /** Replaced and removed files, by number, until all is done. */
  readonly replaced: string;
  remove(): void;
}

/** On the disk of the root, because only there a file moves in one step. Removes remains of a crashed undo. */
export function makeStaging(own: PrivateRepository, place: ShadowPlace): Staging {
  const disk = lstatSync(place.root).dev;
  // A link that an agent put in the place of one of them is no folder.
  const homes = [own.folder, place.repository.commonDir, place.root].filter((path) =>
    lstatSync(path, { throwIfNoEntry: false })?.isDirectory(),
  );
  const home = homes.find((path) => lstatSync(path).dev === disk) ?? place.root;
  const prefix = `${STAGING}${basename(own.folder)}-`;
  for (const path of homes) {
    const left = readdirSync(path).filter((name) => name.startsWith(prefix));
    for (const name of left) rmSync(join(path, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(home, prefix));
  const staging = { folder, files: join(folder, 'files'), replaced: join(folder, 'replaced') };
  for (const path of [staging.files, staging.replaced]) mkdirSync(path);
  return { ...staging, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Writes the new version of each file into the staging folder, byte for byte, with its mode or as a link. */
export async function stageFiles(
  own: PrivateRepository,
  { folder, files }: Pick<Staging, 'folder' | 'files'>,
  versions: readonly StagedVersion[],
): Promise<void> {
  if (versions.length === 0) return;
  // An index of these files alone: one of the whole tree takes longer to make than all the rest.
  const place = { ...own.place, env: { ...own.place.env, GIT_INDEX_FILE: join(folder, `index-${basename(files)}`) } };
  const lines = versions.flatMap(({ name, mode, object }) => [Buffer.from(`${mode} ${object}\t`), name, NUL]);
  await git(place, { args: ['update-index', '-z', '--index-info'], input: Buffer.concat(lines) });
  await git(place, { args: ['checkout-index', '--all', `--prefix=${files}/`] });
}

/** The versions that a set of changes leads to. */
export function versionsAfter(changes: readonly FileChange[]): readonly StagedVersion[] {
  return changes.flatMap(({ name, after }) => (after ? [{ name, ...after }] : []));
}
