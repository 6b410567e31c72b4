import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import { type GitPlace, git } from '../git.ts';
import { alone } from '../one-at-a-time.ts';
import {
  forgetCommit,
  forgetName,
  lastImported,
  notedCommits,
  type ObjectStore,
  type StoredName,
  storedNames,
  storedTree,
} from './object-store.ts';
import { NO_BRANCH } from './private-repository.ts';
import { objectFiles } from './staging-area.ts';

export interface PruneResult {
  /** Names of shadow commits that were removed. */
  readonly names: number;
  /** Objects of git that were removed. */
  readonly objects: number;
  readonly bytes: number;
}

export interface PruneRequest {
  /** Whether a name such as refs/baton/TASK/1/before stays. */
  isKept(ref: string): boolean;
  /** Trees that the indexes of workspaces hold: without them the next run would read every file again. */
  readonly trees: readonly string[];
  /** Counts what would be removed, and removes nothing. */
  readonly isDry: boolean;
}

const SHA1_DIGITS = 40;
/** The exit code of git for input that it cannot read. */
const FATAL = 128;
/** The committer's address in shadow commits; a HEAD that was recorded as it is has another one. */
const OWN_ADDRESS = 'baton@localhost';

/**
 * Removes names from the store, and objects that no name needs any more. It waits for shadows that are being taken and keeps
 * new ones waiting. A kill leaves more objects than needed, never fewer: what stays is packed before anything is removed.
 */
export function pruneStore(store: ObjectStore, request: PruneRequest): Promise<PruneResult> {
  return alone(store.folder, async () => {
    const named = storedNames(store);
    const dropped = named.filter(({ ref }) => !request.isKept(ref));
    const kept = named.filter(({ ref }) => request.isKept(ref));
    // A name that cannot be read may be needed: nothing is removed from a damaged store.
    if (kept.some(({ commit }) => commit === 'torn')) return { names: 0, objects: 0, bytes: 0 };
    if (!request.isDry) for (const { ref } of dropped) forgetName(store, ref);
    crashPoint('workspace.clean-names');
    const removed = await removeObjects(store, kept, request);
    return { names: dropped.length, ...removed };
  });
}

async function removeObjects(
  store: ObjectStore,
  kept: readonly StoredName[],
  { trees, isDry }: PruneRequest,
): Promise<Omit<PruneResult, 'names'>> {
  const commits = [...kept.map(({ commit }) => commit), ...[lastImported(store) ?? []].flat()];
  const place = makePlace(store, (commits[0] ?? trees[0] ?? '').length);
  try {
    const more = [...(await parentsOf(place, store, commits)), ...(await agentCommits(place, store, kept))];
    const needed = await reachable(place, [...new Set([...commits, ...more, ...trees])]);
    const found = await sortFiles(place, store, needed);
    if (found.dead === 0) return { objects: 0, bytes: 0 };
    const before = bytesOf(store, found.files);
    if (isDry) return { objects: found.dead, bytes: Math.round(before * found.deadShare) };
    for (const commit of notedCommits(store)) if (!needed.has(commit)) forgetCommit(store, commit);
    const packed = await packAgain(place, store, found.again);
    crashPoint('workspace.clean-packed');
    for (const file of found.files.filter((name) => !packed.includes(name))) {
      rmSync(join(store.objects, file), { force: true });
      crashPoint('workspace.clean-removed');
    }
    return { objects: found.dead, bytes: Math.max(0, before - bytesOf(store, packed)) };
  } finally {
    rmSync(place.gitDir, { recursive: true, force: true });
  }
}

/** A git folder for the store alone: it has no workspace. */
function makePlace(store: ObjectStore, digits: number): GitPlace {
  const gitDir = join(store.folder, 'pruning');
  rmSync(gitDir, { recursive: true, force: true });
  for (const name of ['refs', 'objects']) mkdirSync(join(gitDir, name), { recursive: true, mode: 0o700 });
  const isLong = digits > SHA1_DIGITS;
  const format = `[core]\n\trepositoryformatversion = ${isLong ? 1 : 0}\n\tbare = true\n`;
  const config = `${format}${isLong ? '[extensions]\n\tobjectformat = sha256\n' : ''}`;
  replaceFile(join(gitDir, 'config'), config, { isSynced: false });
  replaceFile(join(gitDir, 'HEAD'), NO_BRANCH, { isSynced: false });
  return { gitDir, workTree: gitDir, env: { GIT_OBJECT_DIRECTORY: store.objects, GIT_WORK_TREE: undefined } };
}

/** The commits that shadow commits stand on, if the store has them: a branch that is made of the work needs them. */
async function parentsOf(place: GitPlace, store: ObjectStore, commits: readonly string[]): Promise<readonly string[]> {
  if (commits.length === 0) return [];
  const args = ['rev-list', '--ignore-missing', '--no-walk', '--format=%ce %P', '--stdin'];
  const { stdout } = await git(place, { args, input: linesOf(commits) });
  const lines = stdout.toString('latin1').split('\n');
  const parents = lines
    .filter((line) => line.startsWith(`${OWN_ADDRESS} `))
    .flatMap((line) => line.split(' ').slice(1).filter(Boolean));
  return parents.filter((parent) => storedTree(store, parent) !== null);
}

/** The commits of agents between HEAD and the last one, which has a name. */
async function agentCommits(
  place: GitPlace,
  store: ObjectStore,
  kept: readonly StoredName[],
): Promise<readonly string[]> {
  const tips = kept.filter(({ ref }) => ref.endsWith('/commits')).map(({ commit }) => commit);
  if (tips.length === 0) return [];
  const others = notedCommits(store).filter((commit) => !tips.includes(commit));
  // The store has no history of the commits that were recorded as they are.
  const shallow = join(place.gitDir, 'shallow');
  replaceFile(shallow, `${others.join('\n')}\n`, { isSynced: false });
  const input = linesOf([...tips, ...others.map((commit) => `^${commit}`)]);
  const { stdout } = await git(place, { args: ['rev-list', '--ignore-missing', '--stdin'], input });
  return stdout.toString('latin1').split('\n').filter(Boolean);
}

async function reachable(place: GitPlace, tips: readonly string[]): Promise<ReadonlySet<string>> {
  if (tips.length === 0) return new Set();
  const args = ['rev-list', '--ignore-missing', '--objects', '--no-object-names', '--no-walk', '--stdin'];
  const { stdout } = await git(place, { args, input: linesOf(tips) });
  return new Set(stdout.toString('latin1').split('\n').filter(Boolean));
}

interface SortedFiles {
  /** Files that hold nothing but dead objects, or both. */
  readonly files: readonly string[];
  /** The needed objects in these files. */
  readonly again: readonly string[];
  /** The number of objects that nothing needs. */
  readonly dead: number;
  readonly deadShare: number;
}

async function sortFiles(place: GitPlace, store: ObjectStore, needed: ReadonlySet<string>): Promise<SortedFiles> {
  const files: string[] = [];
  const again: string[] = [];
  let dead = 0;
  for (const name of objectFiles(store.objects)) {
    const objects = await objectsIn(place, store, name);
    if (objects === null) continue;
    const alive = objects.filter((object) => needed.has(object));
    if (alive.length === objects.length) continue;
    files.push(...(name.startsWith('pack/') ? packFiles(store, name) : [name]));
    again.push(...alive);
    dead += objects.length - alive.length;
  }
  return { files, again, dead, deadShare: dead / Math.max(1, dead + again.length) };
}

/** Null for a file that is counted with another one, or that cannot be read. */
async function objectsIn(place: GitPlace, store: ObjectStore, name: string): Promise<readonly string[] | null> {
  const loose = /^([0-9a-f]{2})\/([0-9a-f]{38}|[0-9a-f]{62})$/.exec(name);
  if (loose) return [`${loose[1]}${loose[2]}`];
  if (!name.endsWith('.idx')) return null;
  const input = readFileSync(join(store.objects, name));
  const isLong = name.length > 'pack/pack-.idx'.length + SHA1_DIGITS;
  const args = ['show-index', ...(isLong ? ['--object-format=sha256'] : [])];
  const { exitCode, stdout } = await git(place, { args, input, exitCodes: [0, FATAL] });
  if (exitCode !== 0) return null;
  // A line is `offset name (checksum)`.
  const lines = stdout.toString('latin1').split('\n').filter(Boolean);
  return lines.flatMap((line) => line.split(' ', 2)[1] ?? []);
}

/** The index first: without it git does not look for the pack. */
function packFiles({ objects }: ObjectStore, index: string): readonly string[] {
  const stem = index.slice('pack/'.length, -'.idx'.length);
  const others = readdirSync(join(objects, 'pack')).filter((name) => name.startsWith(`${stem}.`));
  return [index, ...others.map((name) => `pack/${name}`).filter((name) => name !== index)];
}

/** The files of the new pack; none where there is nothing to pack. */
async function packAgain(
  place: GitPlace,
  { objects }: ObjectStore,
  names: readonly string[],
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const args = ['pack-objects', '-q', '--local', '--window=0', join(objects, 'pack', 'pack')];
  const { stdout } = await git(place, { args, input: linesOf(names) });
  const stem = `pack-${stdout.toString('latin1').trim()}`;
  return readdirSync(join(objects, 'pack'))
    .filter((name) => name.startsWith(`${stem}.`))
    .map((name) => `pack/${name}`);
}

function bytesOf({ objects }: ObjectStore, files: readonly string[]): number {
  return files.reduce((sum, name) => sum + (statSync(join(objects, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

function linesOf(names: readonly string[]): Buffer {
  return Buffer.from(`${names.join('\n')}\n`);
}
