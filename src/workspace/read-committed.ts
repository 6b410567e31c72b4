import { withoutIndex } from './diff-shadows.ts';
import { git, splitAtNul } from './git.ts';
import { openPrivateRepository, type ShadowPlace } from './shadow/private-repository.ts';

interface CommittedFile {
  readonly commit: string;
  /** From the root. */
  readonly path: string;
  readonly bytesMax: number;
}

/** The text of a file in a commit, its beginning if it is long; null where there is none. */
export async function readCommitted(
  place: ShadowPlace,
  { commit, path, bytesMax }: CommittedFile,
): Promise<string | null> {
  const { place: own } = await openPrivateRepository(place);
  const args = ['cat-file', 'blob', `${commit}:${path}`];
  const call = { args, exitCodes: [0, 128], outputBytesMax: bytesMax, env: withoutIndex(own) };
  const { stdout, exitCode } = await git(own, call);
  return exitCode === 0 ? stdout.toString('utf8') : null;
}

/** The paths of all files in a commit. */
export async function namesCommitted(place: ShadowPlace, commit: string): Promise<readonly string[]> {
  const { place: own } = await openPrivateRepository(place);
  const args = ['ls-tree', '-r', '-z', '--name-only', commit];
  const { stdout } = await git(own, { args, env: withoutIndex(own) });
  return [...splitAtNul(stdout)].map(String);
}
