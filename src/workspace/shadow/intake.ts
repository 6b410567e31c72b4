import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import type { Repository } from '../../domain/repository.ts';
import { emptyIntake } from './object-store.ts';
import type { PrivateRepository } from './private-repository.ts';
import { bringAlong, showObjects, takeIn } from './show-commit.ts';

/** The private repository, where what is made goes to a folder of its own first. */
export interface Intake extends PrivateRepository {
  /** That folder. */
  readonly objects: string;
  /** An object that the store has from before, and the repository may have lost. */
  bringAlong(object: string): void;
}

/** What is made in `work` lies in Baton's own store when this is over, and in the repository unless something is in the way. */
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
