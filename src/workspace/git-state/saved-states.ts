import { statSync } from 'node:fs';
import { join } from 'node:path';
import { GIT_TEXT_BYTES_MAX } from '../../domain/limits.ts';
import { compareGitStates, type GitState } from '../../domain/work/git-state.ts';
import { renewFile, writeDurably } from '../../platform/files/durable-files.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { readPlainBytes } from '../files/read-plain-file.ts';
import { hashOf, type ReadState } from './read-git-state.ts';

const FOLDER = ['saved', 'git'];

/** Saves a state and its index below the data folder, each under the hash of its bytes. Returns the hash of the state. */
export async function saveGitState(dataFolder: string, { state, index }: ReadState): Promise<string> {
  makeFoldersIn(dataFolder, join(dataFolder, ...FOLDER));
  const bytes = Buffer.from(JSON.stringify(state));
  const [name] = await Promise.all([save(dataFolder, bytes), index && save(dataFolder, index)]);
  return name;
}

async function save(dataFolder: string, bytes: Buffer): Promise<string> {
  const name = hashOf(bytes);
  const file = join(dataFolder, ...FOLDER, name);
  // A torn one is written again.
  if (statSync(file, { throwIfNoEntry: false })?.size === bytes.length) renewFile(file);
  else await writeDurably(file, bytes);
  return name;
}

/** Null where it is gone or torn. */
export function savedState(dataFolder: string, name: string): GitState | null {
  const bytes = savedBytes(dataFolder, name);
  return bytes && (JSON.parse(bytes.toString('utf8')) as GitState);
}

/** Whether two saved states are there and equal. */
export function isSameGit(dataFolder: string, one: string, other: string): boolean {
  const [first, second] = [one, other].map((name) => savedState(dataFolder, name));
  return one === other || Boolean(first && second && compareGitStates(first, second).length === 0);
}

export function savedBytes(dataFolder: string, name: string): Buffer | null {
  const bytes = readPlainBytes(savedFile(dataFolder, name), GIT_TEXT_BYTES_MAX);
  return bytes !== null && hashOf(bytes) === name ? bytes : null;
}

export function savedFile(dataFolder: string, name: string): string {
  return join(dataFolder, ...FOLDER, name);
}
