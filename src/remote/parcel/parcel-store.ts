import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile, syncPath } from '../../platform/files/durable-files.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import type { GitPlace } from '../../workspace/git.ts';
import { NO_BRANCH, NO_CONVERSION } from '../../workspace/shadow/private-repository.ts';
import { objectFiles } from '../../workspace/shadow/staging-area.ts';
import type { Parcel } from './parcel.ts';

/** The objects that a node sent of one of its repositories. No agent reaches them. */
export interface ParcelStore {
  readonly folder: string;
  readonly objects: string;
  readonly place: GitPlace;
}

export function storesFolder(dataFolder: string): string {
  return join(dataFolder, 'travel', 'stores');
}

/** The store of a repository, by the node that has it: another node could name objects that are none of its business. */
export function openParcelStore(dataFolder: string, from: string, parcel: Parcel): ParcelStore {
  const { repository, objectFormat } = parcel;
  const name = createHash('sha256').update(`${from}\0${repository}\0${objectFormat}`).digest('hex').slice(0, 24);
  const folder = join(storesFolder(dataFolder), name);
  for (const part of ['commits', 'refs', 'info', 'objects/pack', 'objects/info']) {
    makeFoldersIn(dataFolder, join(folder, part));
  }
  const isLong = objectFormat === 'sha256';
  const config = `[core]\n\trepositoryformatversion = ${isLong ? 1 : 0}\n\tbare = false\n\tautocrlf = false\n`;
  const texts = {
    config: isLong ? `${config}[extensions]\n\tobjectformat = sha256\n` : config,
    HEAD: NO_BRANCH,
    [join('info', 'attributes')]: NO_CONVERSION,
  };
  for (const [file, text] of Object.entries(texts)) replaceFile(join(folder, file), text, { isSynced: false });
  const objects = join(folder, 'objects');
  return { folder, objects, place: { gitDir: folder, workTree: folder, env: { GIT_OBJECT_DIRECTORY: objects } } };
}

/** Runs `work` with a folder for new objects; they enter the store once it has answered, and are gone where it throws or refuses. */
export async function inParcelStaging<T>(
  { folder, objects, place }: ParcelStore,
  work: (staged: { readonly objects: string; readonly place: GitPlace }) => Promise<T>,
  isGood: (answer: T) => boolean,
): Promise<T> {
  const staging = join(folder, 'intake');
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(join(staging, 'pack'), { recursive: true, mode: 0o700 });
  const env = { GIT_OBJECT_DIRECTORY: staging, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) };
  try {
    const answer = await work({ objects: staging, place: { ...place, env } });
    if (isGood(answer)) takeIn(staging, objects);
    return answer;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** A pack before its index: without that, git does not look for it. */
function takeIn(staging: string, objects: string): void {
  for (const name of objectFiles(staging)) {
    if (existsSync(join(objects, name))) continue;
    syncPath(join(staging, name));
    renameSync(join(staging, name), join(objects, name));
    crashPoint('parcel.object-stored');
  }
  syncPath(join(objects, 'pack'));
}

/** Commits whose files are all in the store. */
export function knownCommits({ folder }: ParcelStore): readonly string[] {
  return readdirSync(join(folder, 'commits'));
}

export function noteKnown({ folder }: ParcelStore, commits: readonly string[], atMs: number): void {
  for (const commit of commits) writeFileSync(join(folder, 'commits', commit), '', { mode: 0o600 });
  // `baton clean` removes a store that was not used for long.
  utimesSync(folder, atMs / 1_000, atMs / 1_000);
}
