import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { GIT_TEXT_BYTES_MAX } from '../../domain/limits.ts';
import type { Repository } from '../../domain/repository.ts';
import { readPlainFile } from '../files/read-plain-file.ts';
import type { GitPlace } from '../git.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { booleanSetting, objectFormat, readSettings } from '../repository-settings.ts';
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

const FORMAT = '2';
/** Prefix of folders in which files are prepared. */
export const STAGING = '.baton-staging-';
/** Files are recorded byte for byte: no line ends are converted and no filter is run, whatever .gitattributes says. */
const ATTRIBUTES = '* -text !eol !ident !filter !working-tree-encoding\n';
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
    if (readIfThere(join(folder, 'made-for')) !== marker) await makeFolder(place, folder, marker);
  });
  const excluded = excludeText(place);
  const excludeFile = join(folder, 'info', 'exclude');
  if (readIfThere(excludeFile) !== excluded) writeFileSync(excludeFile, excluded);
  const store = openStore(place.keptFolder, place.repository);
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

/** For a root that was removed, such as that of a worktree. */
export function forgetPrivateRepository(place: ShadowPlace): void {
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

async function makeFolder(place: ShadowPlace, folder: string, marker: string): Promise<void> {
  const known = readIfThere(join(folder, 'config'));
  // A repository that was broken since has no settings any more: those it had still hold for its files.
  const settings = known !== null && !isReadable(place.repository) ? null : await copiedSettings(place.repository);
  const config = settings === null ? known : configText(settings);
  // Tools write into a repository's configuration all day; the index is worth keeping when nothing of it counts here.
  if (config !== null && known !== config) {
    const draft = `${folder}.new`;
    for (const path of [draft, folder]) rmSync(path, { recursive: true, force: true });
    for (const name of ['refs', 'info', 'objects']) mkdirSync(join(draft, name), { recursive: true, mode: 0o700 });
    writeFileSync(join(draft, 'HEAD'), 'ref: refs/heads/none\n');
    writeFileSync(join(draft, 'config'), config);
    writeFileSync(join(draft, 'info', 'attributes'), ATTRIBUTES);
    renameSync(draft, folder);
  }
  writeFileSync(join(folder, 'made-for'), marker);
}

function isReadable({ gitDir, commonDir }: Repository): boolean {
  const files = [join(gitDir, 'HEAD'), join(commonDir, 'config')];
  return files.every((file) => readPlainFile(file, GIT_TEXT_BYTES_MAX) !== null) && existsSync(join(commonDir, 'refs'));
}

async function copiedSettings(repository: Repository): Promise<Map<string, string>> {
  const theirs = await readSettings({ gitDir: repository.gitDir, workTree: repository.root });
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
function excludeText({ repository, root, dataFolder }: ShadowPlace): string {
  const theirs = readPlainFile(join(repository.commonDir, 'info', 'exclude'), GIT_TEXT_BYTES_MAX) ?? '';
  const inside = relative(root, dataFolder).split(sep).join('/');
  const isInside = inside !== '' && !inside.startsWith('../') && inside !== '..' && !inside.startsWith('/');
  const ours = [
    '/.aop_snapshots/',
    `/${STAGING}*/`,
    ...(isInside ? [`/${inside.replace(/[\\*?[\]!# ]/g, '\\$&')}/`] : []),
  ];
  return `${theirs}\n${ours.join('\n')}\n`;
}

function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
