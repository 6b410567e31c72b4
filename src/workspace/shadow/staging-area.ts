import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { emptyStagingArea, type ObjectStore } from './object-store.ts';
import type { PrivateRepository } from './private-repository.ts';

/** A private repository whose new objects go to a separate folder first. */
export interface StagingArea extends PrivateRepository {
  /** The folder of new objects. */
  readonly objects: string;
}

/** Moves the objects that `work` makes into Baton's store: all of them, or none where it fails. */
export async function inStagingArea<T>(own: PrivateRepository, work: (into: StagingArea) => Promise<T>): Promise<T> {
  const staging = emptyStagingArea(own.store, basename(own.folder));
  const env = {
    ...own.place.env,
    GIT_OBJECT_DIRECTORY: staging,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(own.store.objects),
  };
  try {
    const made = await work({ ...own, place: { ...own.place, env }, objects: staging });
    takeIn(own.store, staging);
    return made;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function takeIn({ objects }: ObjectStore, staging: string): void {
  for (const name of objectFiles(staging)) {
    const [folder = ''] = name.split('/');
    if (!existsSync(join(objects, folder))) mkdirSync(join(objects, folder), { mode: 0o700 });
    if (!existsSync(join(objects, name))) secondName(join(staging, name), join(objects, name));
  }
}

function secondName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch {
    // A disk without links.
    copyFileSync(file, name);
  }
}

/** Files of loose objects and packs in a folder of objects, without drafts; an index comes after its pack. */
export function objectFiles(objects: string): string[] {
  return readdirSync(objects, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(objects, name)).map((file) => `${name}/${file}`))
    .filter((name) => !name.startsWith('info/') && !/(^|\/)tmp_/.test(name))
    .sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')));
}
