import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import type { Repository } from '../../domain/repository.ts';
import { emptyIntake } from './object-store.ts';
import type { PrivateRepository } from './private-repository.ts';
import { bringAlong, showObjects, takeIn } from './show-commit.ts';

/** A private repository whose new objects go to a separate folder first. */
export interface Intake extends PrivateRepository {
  /** The folder of new objects. */
  readonly objects: string;
  /** Adds an object of the store that the repository may have lost. */
  bringAlong(object: string): void;
}

/** Moves the objects that `work` makes into Baton's store, and copies them into the repository if it accepts them. */
export async function inIntake<T>(
  own: PrivateRepository,
  repository: Repository,
  work: (into: Intake) => Promise<T>,
): Promise<{ readonly made: T; readonly isShown: boolean }> {
  const intake = emptyIntake(own.store, basename(own.folder));
  const env = {
    ...own.place.env,
    GIT_OBJECT_DIRECTORY: intake,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(own.store.objects),
  };
  try {
    const bring = (object: string) => bringAlong(own.store, intake, object);
    const made = await work({ ...own, place: { ...own.place, env }, objects: intake, bringAlong: bring });
    takeIn(own.store, intake);
    return { made, isShown: await showObjects(repository, intake) };
  } finally {
    rmSync(intake, { recursive: true, force: true });
  }
}
