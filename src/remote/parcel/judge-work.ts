import { MIB } from '../../domain/limits.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { FOLDER_MODES } from '../../domain/work/judge-tree.ts';
import { type GitPlace, git } from '../../workspace/git.ts';
import { ignoresCase } from './ignores-case.ts';
import type { Parcel } from './parcel.ts';
import { INCLUDED } from './read-included.ts';
import { refuseParcel } from './receive-pack.ts';
import { META } from './record-base.ts';
import { type CommitFile, type WalkedTrees, walkTrees } from './walk-trees.ts';
import { readWorkMeta, type WorkMeta } from './work-meta.ts';

/** Work that may be unpacked. */
export interface JudgedWork {
  readonly meta: WorkMeta;
  /** Files beside those of the commit. */
  readonly more: readonly CommitFile[];
}

export interface WorkBounds {
  readonly dataFolder: string;
  readonly bytesMax: number;
}

/** The commits of a parcel that its receiver has from then on. */
export function commitsOf({ baseCommit, state }: Parcel): readonly string[] {
  return [...new Set([...(baseCommit === null ? [] : [baseCommit]), state])];
}

/** Judges the objects of a parcel before any of them becomes a file. */
export async function judgeWork(
  place: GitPlace,
  parcel: Parcel,
  { dataFolder, bytesMax }: WorkBounds,
): Promise<JudgedWork | Refusal> {
  const tips = [...new Set([...commitsOf(parcel), parcel.beside])];
  const walked = await walkTrees(place, tips);
  if (typeof walked === 'string') return refuseParcel(walked);
  const { bytes } = walked.sizeOf(parcel.state);
  if (bytes > bytesMax)
    return refuse('work_too_large', `the work has ${bytes} bytes; this node takes at most ${bytesMax}`);
  if (walked.twins && ignoresCase(dataFolder)) {
    return refuseParcel(`${walked.twins.join(' and ')} are one name on the disk of this node`);
  }
  const text = await textOf(place, `${parcel.beside}:${META}`);
  const meta = text === null ? null : readWorkMeta(text);
  if (meta === null) return refuseParcel('it does not say what its files are like');
  const folder = Buffer.from(meta.folder).toString('latin1');
  if (folder !== '' && obstacleOf(walked, parcel.state, `${folder}/`) !== null) {
    return refuseParcel(`${JSON.stringify(meta.folder)} is no folder in it`);
  }
  const more = includedIn(walked, parcel);
  return isRefusal(more) ? more : { meta, more };
}

const META_BYTES_MAX = 32 * MIB;
const FATAL = 128;

/** Null where there is no such file, or it is too large to be read. */
async function textOf(place: GitPlace, name: string): Promise<string | null> {
  const call = { args: ['cat-file', 'blob', name], exitCodes: [0, FATAL], outputBytesMax: META_BYTES_MAX };
  const { exitCode, stdout, isTruncated } = await git(place, call);
  return exitCode === 0 && !isTruncated ? stdout.toString('utf8') : null;
}

/** The files that go beside those of the commit; a path that lies on or behind one of its files is refused. */
function includedIn(walked: WalkedTrees, { state, beside }: Parcel): readonly CommitFile[] | Refusal {
  const more: CommitFile[] = [];
  for (const file of walked.filesBelow(beside, INCLUDED)) {
    const path = file.name.toString('latin1');
    const there = walked.entryAt(state, path);
    const isFolder = there !== null && FOLDER_MODES.includes(there.mode);
    if (isFolder || obstacleOf(walked, state, path) !== null) {
      return refuseParcel(`${JSON.stringify(file.name.toString('utf8'))} lies in the way of its files`);
    }
    // A file that the commit has, too, stays as it is there.
    if (there === null) more.push(file);
  }
  return more;
}

/** The first part of a path, up to its last slash, that is there and no folder; null where there is none. */
function obstacleOf(walked: WalkedTrees, commit: string, path: string): string | null {
  const folders = path.split('/').slice(0, -1);
  const prefixes = folders.map((_, at) => folders.slice(0, at + 1).join('/'));
  const obstacle = prefixes.find((prefix) => {
    const entry = walked.entryAt(commit, prefix);
    return entry !== null && !FOLDER_MODES.includes(entry.mode);
  });
  return obstacle ?? null;
}
