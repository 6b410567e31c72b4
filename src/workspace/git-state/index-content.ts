import type { Repository } from '../../domain/work/repository.ts';
import { type GitPlace, git, splitAtNul } from '../git.ts';

const TAB = 0x09;

/**
 * The content of an index, without the times of files: the versions of each path, by its stages. A path whose changes git is told
 * to overlook has the letters for that at the end: `h` assume-unchanged, `S` skip-worktree, `s` both.
 */
export type IndexContent = ReadonlyMap<string, string>;

/** The content of an index file; null where git cannot read it. */
export async function readIndexContent(repository: Repository, file: string): Promise<IndexContent | null> {
  const place: GitPlace = { gitDir: repository.gitDir, workTree: repository.gitDir, env: { GIT_INDEX_FILE: file } };
  const { stdout, exitCode } = await git(place, { args: ['ls-files', '--stage', '-v', '-z'], exitCodes: [0, 128] });
  if (exitCode !== 0) return null;
  const content = new Map<string, string>();
  for (const line of splitAtNul(stdout)) {
    const at = line.indexOf(TAB);
    const name = line.toString('latin1', at + 1);
    const version = versionOf(line.toString('latin1', 0, at));
    const other = content.get(name);
    content.set(name, other === undefined ? version : `${other}\n${version}`);
  }
  return content;
}

const OVERLOOKED = /^[hsS]$/;

function versionOf(text: string): string {
  const [letter = '', ...version] = text.split(' ');
  return [...version, ...(OVERLOOKED.test(letter) ? [letter] : [])].join(' ');
}

/** One version of a path: for update-index, and whether its changes are overlooked. */
export function readVersion(version: string) {
  const [mode, object, stage, letter = ''] = version.split(' ');
  const isAssumed = /^[hs]$/.test(letter);
  return { line: `${mode} ${object} ${stage}`, isAssumed, isSkipped: /^[sS]$/.test(letter) };
}

/** Paths, one character a byte, of which two indexes have other versions. */
export function changedEntries(one: IndexContent, other: IndexContent): readonly string[] {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => one.get(name) !== other.get(name)).sort();
}
