import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { GIT_TEXT_BYTES_MAX } from '../../domain/limits.ts';
import { SNAPSHOTS_FOLDER } from '../../domain/order/order.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { readPlainFile } from '../files/read-plain-file.ts';
import type { GitPlace } from '../git.ts';
import { oneAtATime, sharing } from '../one-at-a-time.ts';
import { isOfBaton } from '../own-folders.ts';
import {
  booleanSetting,
  objectFormat,
  type RepositorySettings,
  readRepositorySettings,
  readSettingsUnlessBroken,
} from '../repository-settings.ts';
import { type ObjectStore, openStore } from './object-store.ts';

/** A workspace: its repository, the folder of its files, and the folder of Baton's own data about it. */
export interface ShadowPlace {
  readonly repository: Repository;
  /** The folder whose files are recorded: the repository's own, or that of a worktree kept elsewhere. */
  readonly root: string;
  /** The commit of a worktree kept elsewhere, in place of the repository's HEAD. */
  readonly head?: string;
  /** Baton's own, below the data folder: one private git folder a root. */
  readonly keptFolder: string;
  /** Never recorded, though it may lie in the root. */
  readonly dataFolder: string;
  /** The repository under which its shadow commits were recorded, if it was copied or moved since. */
  readonly recordedIn?: Repository;
  /** Ends the git calls of this place. */
  readonly signal?: AbortSignal;
}

export interface PrivateRepository {
  readonly place: GitPlace;
  readonly folder: string;
  readonly indexFile: string;
  readonly store: ObjectStore;
  /** The length of an object's name: 20 for SHA-1, 32 for SHA-256. */
  readonly objectBytes: number;
  /** False where the disk keeps no executable bit or no links: git then takes modes from its index. */
  readonly hasModes: boolean;
}

const FORMAT = '3';
/** Prefix of folders in which files are prepared. */
export const STAGING = '.baton-staging-';
/** Files are recorded byte for byte: no line ends are converted and no filter is run, whatever .gitattributes says. */
export const NO_CONVERSION = '* -text !eol !ident !filter !working-tree-encoding\n';
/** The HEAD of a folder without a commit. */
export const NO_BRANCH = 'ref: refs/heads/none\n';
const HEAD = /^(ref: refs\/heads\/none|[0-9a-f]{40}([0-9a-f]{24})?)\n$/;
/** These files are compared every time, and made again where they differ. */
const CHECKED = { isSynced: false };
const COPIED_SETTINGS = ['core.filemode', 'core.symlinks', 'core.ignorecase', 'core.precomposeunicode'];

/**
 * Opens a git folder of Baton's own for the user's files, with objects that no agent can touch, and an index that is kept
 * between shadows, so that an unchanged file is not read again. The repository's configuration, which may name commands, is
 * never used.
 */
export async function openPrivateRepository(place: ShadowPlace): Promise<PrivateRepository> {
  const folder = folderOf(place);
  const marker = markerOf(place);
  await oneAtATime(`git folder of ${place.root}`, async () => {
    if (readIfThere(join(folder, 'made-for')) !== madeForText(folder, marker)) await makeFolder(place, folder, marker);
    fillFolder(folder, excludeText(place));
  });
  const store = storeOf(place);
  const env = { GIT_INDEX_FILE: join(folder, 'index'), GIT_OBJECT_DIRECTORY: store.objects };
  const config = readIfThere(join(folder, 'config')) ?? '';
  return {
    folder,
    indexFile: env.GIT_INDEX_FILE,
    store,
    place: { gitDir: folder, workTree: place.root, env, ...(place.signal ? { signal: place.signal } : {}) },
    objectBytes: config.includes('objectformat = "sha256"') ? 32 : 20,
    hasModes: !/(filemode|symlinks) = "false"/.test(config),
  };
}

/** The objects of a place. */
export function storeOf({ keptFolder, repository, recordedIn }: ShadowPlace): ObjectStore {
  return openStore(keptFolder, recordedIn ?? repository, objectsOf(repository));
}

/** Runs work that makes objects in the store of a place, one after the other by key: nothing is pruned meanwhile. */
export function usingStore<T>(place: ShadowPlace, key: string, work: () => Promise<T>): Promise<T> {
  return oneAtATime(key, () => sharing(storeOf(place).folder, work));
}

/** The data folder with which a root was recorded: another one than today's if it was copied or moved. Null if unknown. */
export function dataFolderOfRecord(keptFolder: string, root: string): string | null {
  const [marker = ''] = (readIfThere(join(folderOf({ keptFolder, root }), 'made-for')) ?? '').split('\n');
  try {
    const [, , , dataFolder] = JSON.parse(marker) as unknown[];
    return typeof dataFolder === 'string' ? dataFolder : null;
  } catch {
    // Cut short.
    return null;
  }
}

/** For a root that was removed, such as that of a worktree. */
export function forgetPrivateRepository(place: Pick<ShadowPlace, 'keptFolder' | 'root'>): void {
  rmSync(folderOf(place), { recursive: true, force: true });
}

function folderOf({ keptFolder, root }: Pick<ShadowPlace, 'keptFolder' | 'root'>): string {
  return join(keptFolder, createHash('sha256').update(root).digest('hex').slice(0, 24));
}

export function objectsOf(repository: Repository): string {
  return join(repository.commonDir, 'objects');
}

/** The private folder is rebuilt when the settings it was made from may have changed. */
function markerOf({ repository, root, dataFolder }: ShadowPlace): string {
  const config = statSync(join(repository.commonDir, 'config'), { throwIfNoEntry: false });
  return JSON.stringify([FORMAT, root, repository.commonDir, dataFolder, config?.size, config?.mtimeMs]);
}

/** Names the settings that a folder was made from and the configuration that it got: a configuration cut short is noticed. */
function madeForText(folder: string, marker: string): string {
  const config = readIfThere(join(folder, 'config')) ?? '';
  return `${marker}\n${createHash('sha256').update(config).digest('hex')}`;
}

/** The configuration of a folder; null where it is not the one that was written. */
function knownConfig(folder: string): string | null {
  const written = readIfThere(join(folder, 'made-for'))?.split('\n')[0] ?? '';
  return readIfThere(join(folder, 'made-for')) === madeForText(folder, written)
    ? readIfThere(join(folder, 'config'))
    : null;
}

/** Whether configuration, HEAD and attributes of a folder are as Baton wrote them. */
export function isWholeFolder(folder: string): boolean {
  const isHead = HEAD.test(readIfThere(join(folder, 'HEAD')) ?? '');
  return isHead && knownConfig(folder) !== null && readIfThere(join(folder, 'info', 'attributes')) === NO_CONVERSION;
}

async function makeFolder(place: ShadowPlace, folder: string, marker: string): Promise<void> {
  const known = knownConfig(folder);
  // A repository that was broken since has no settings any more: those it had still hold for its files.
  const settings = known !== null && !isReadable(place.repository) ? null : await settingsOf(place.repository, known);
  const config = settings === null ? known : configText(copiedSettings(settings));
  // Tools write into a repository's configuration all day; the index is worth keeping when nothing of it counts here.
  if (config !== null && known !== config) {
    const draft = `${folder}.new`;
    for (const path of [draft, folder]) rmSync(path, { recursive: true, force: true });
    makeFoldersIn(dirname(place.keptFolder), draft);
    replaceFile(join(draft, 'config'), config, CHECKED);
    renameSync(draft, folder);
  }
  replaceFile(join(folder, 'made-for'), madeForText(folder, marker), CHECKED);
}

/** Makes what is missing or was cut short: git refuses a folder without them, and would convert files without attributes. */
function fillFolder(folder: string, excluded: string): void {
  for (const name of ['refs', 'info', 'objects']) {
    if (!existsSync(join(folder, name))) mkdirSync(join(folder, name), { mode: 0o700 });
  }
  if (!HEAD.test(readIfThere(join(folder, 'HEAD')) ?? '')) replaceFile(join(folder, 'HEAD'), NO_BRANCH, CHECKED);
  const texts = { [join('info', 'attributes')]: NO_CONVERSION, [join('info', 'exclude')]: excluded };
  for (const [name, text] of Object.entries(texts)) {
    if (readIfThere(join(folder, name)) !== text) replaceFile(join(folder, name), text, CHECKED);
  }
}

function isReadable({ gitDir, commonDir }: Repository): boolean {
  const files = [join(gitDir, 'HEAD'), join(commonDir, 'config')];
  return files.every((file) => readPlainFile(file, GIT_TEXT_BYTES_MAX) !== null) && existsSync(join(commonDir, 'refs'));
}

function settingsOf({ gitDir, root }: Repository, known: string | null): Promise<RepositorySettings | null> {
  const place = { gitDir, workTree: root };
  return known === null ? readRepositorySettings(place) : readSettingsUnlessBroken(place);
}

function copiedSettings(theirs: RepositorySettings): Map<string, string> {
  const settings = new Map<string, string>();
  for (const name of COPIED_SETTINGS) {
    const value = booleanSetting(theirs, name);
    if (value !== null) settings.set(name, String(value));
  }
  if (objectFormat(theirs) === 'sha256') settings.set('extensions.objectformat', 'sha256');
  // The person's own list of what is ignored; git knows the usual place by itself.
  const excludes = theirs.global.get('core.excludesfile');
  if (excludes) settings.set('core.excludesfile', excludes);
  return settings;
}

function configText(settings: ReadonlyMap<string, string>): string {
  const isNewFormat = settings.has('extensions.objectformat');
  const lines = [`[core]\n\trepositoryformatversion = ${isNewFormat ? 1 : 0}\n\tbare = false\n\tautocrlf = false`];
  for (const [name, value] of settings) {
    const [section, key] = name.split('.');
    lines.push(`[${section}]\n\t${key} = ${JSON.stringify(value)}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Lists what the repository ignores besides its .gitignore files, and Baton's own files in a workspace. */
export function excludeText({ repository, root, dataFolder }: ShadowPlace): string {
  // The rules for a folder that is not in git say which of its files count. In a worktree all do.
  const isApart = root !== repository.root && isOfBaton(dataFolder, repository);
  const rules = join(repository.commonDir, 'info', 'exclude');
  const theirs = isApart ? '' : (readPlainFile(rules, GIT_TEXT_BYTES_MAX) ?? '');
  const inside = relative(root, dataFolder).split(sep).join('/');
  const isInside = inside !== '' && !inside.startsWith('../') && inside !== '..' && !inside.startsWith('/');
  const ours = [
    `/${SNAPSHOTS_FOLDER}/`,
    `/${STAGING}*/`,
    ...(isInside ? [`/${inside.replace(/[\\*?[\]!# ]/g, '\\$&')}/`] : []),
  ];
  return `${theirs}\n${ours.join('\n')}\n`;
}

function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
