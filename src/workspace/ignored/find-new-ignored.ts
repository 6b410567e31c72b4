import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { IgnoredState } from '../../domain/work/ignored-files.ts';
import { git, splitAtNul } from '../git.ts';
import { openPrivateRepository, type ShadowPlace } from '../shadow/private-repository.ts';
import { hashOfName, hasName, namesBelow } from './read-ignored.ts';

/** The clock that stamps files runs a few milliseconds behind. */
const CLOCK_GRAIN_MS = 20;

interface NewIgnoredQuestion {
  readonly place: ShadowPlace;
  /** The state from before the work; null in a worktree, where the times of files tell. */
  readonly before: IgnoredState | null;
  readonly sinceMs: number;
  /** The ignored files and folders to look at, as git lists them. */
  isLookedAt(entry: string): boolean;
}

export interface NewIgnored {
  /** Ignored files that were not there before, from the root. */
  readonly paths: readonly string[];
  /** Whether an ignored file was there before. */
  wasThere(path: string): boolean;
}

/** Finds ignored files that came with the work. */
export async function findNewIgnored({ place, before, sinceMs, isLookedAt }: NewIgnoredQuestion): Promise<NewIgnored> {
  const { place: own } = await openPrivateRepository(place);
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const { stdout } = await git(own, { args });
  const entries = [...splitAtNul(stdout)].filter((entry) => isLookedAt(entry.toString('utf8')));
  const names: string[] = [];
  for (const entry of entries.map((bytes) => bytes.toString('latin1'))) {
    names.push(...(entry.endsWith('/') ? (await namesBelow(place.root, entry, false)).names : [entry]));
  }
  const wasKnown = before ? knownIn(before) : olderThan(place.root, sinceMs);
  return {
    paths: names.filter((name) => !wasKnown(name)).map((name) => Buffer.from(name, 'latin1').toString('utf8')),
    wasThere: (path) => wasKnown(Buffer.from(path).toString('latin1')),
  };
}

function knownIn({ entries, files, trees }: IgnoredState): (name: string) => boolean {
  const single = new Set([...entries, ...Object.keys(files)]);
  const large = Object.entries(trees).map(
    ([folder, { names, isWhole }]) => [folder, Uint32Array.from(names), isWhole] as const,
  );
  // A folder with more files than are looked at has every name.
  const isInLarge = (name: string) =>
    large.some(([folder, names, isWhole]) => name.startsWith(folder) && (!isWhole || hasName(names, hashOfName(name))));
  return (name) => single.has(name) || isInLarge(name);
}

/** By the time of the last change of a file or its name, which no program can set. */
function olderThan(root: string, sinceMs: number): (name: string) => boolean {
  return (name) => {
    const stats = lstatSync(join(root, Buffer.from(name, 'latin1').toString('utf8')), { throwIfNoEntry: false });
    return stats !== undefined && stats.ctimeMs < sinceMs - CLOCK_GRAIN_MS;
  };
}
