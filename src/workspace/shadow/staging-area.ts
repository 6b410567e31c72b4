import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { emptyIntake, type ObjectStore } from './object-store.ts';
import type { PrivateRepository } from './private-repository.ts';

/** A private repository whose new objects go to a separate folder first. */
export interface Intake extends PrivateRepository {
  /** The folder of new objects. */
  readonly objects: string;
}

/** Moves the objects that `work` makes into Baton's store: all of them, or none where it fails. */
export async function inIntake<T>(own: PrivateRepository, work: (into: Intake) => Promise<T>): Promise<T> {
  const intake = emptyIntake(own.store, basename(own.folder));
  const env = {
    ...own.place.env,
    GIT_OBJECT_DIRECTORY: intake,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(own.store.objects),
  };
  try {
    const made = await work({ ...own, place: { ...own.place, env }, objects: intake });
    takeIn(own.store, intake);
    return made;
  } finally {
    rmSync(intake, { recursive: true, force: true });
  }
}

function takeIn({ objects }: ObjectStore, intake: string): void {
  for (const name of objectFiles(intake)) {
    const [folder = ''] = name.split('/');
    if (!existsSync(join(objects, folder))) mkdirSync(join(objects, folder), { mode: 0o700 });
    if (!existsSync(join(objects, name))) secondName(join(intake, name), join(objects, name));
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
