import { lstatSync, readdirSync, readFileSync, readlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin } from '../../domain/work/path-text.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { systemTimer } from '../../platform/timer.ts';

const LOCK = /\.lock$/;
/** Programs without a process of git, such as an editor, hold a lock for less. */
const SETTLED_MS = 1_000;

type GitFolders = Pick<Repository, 'root' | 'gitDir' | 'commonDir'>;

/** The locks beside HEAD, index, configuration and packed refs. Git leaves one behind only when it is killed. */
export function locksBesideHead({ gitDir, commonDir }: GitFolders): readonly string[] {
  const folders = [...new Set([gitDir, commonDir, join(commonDir, 'reftable')])];
  return folders.flatMap((folder) => namesIn(folder).map((name) => join(folder, name)));
}

function namesIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => LOCK.test(entry.name) && entry.isFile()).map(({ name }) => name);
  } catch {
    // There is no such folder.
    return [];
  }
}

/**
 * Removes locks that an ended run left: files that stay for a second while no git is at work in the repository. Returns those that
 * it removed.
 */
export async function removeStaleLocks(repository: GitFolders, locks: readonly string[]): Promise<readonly string[]> {
  const seen = locks.map((lock) => [lock, stampOf(lock)] as const);
  await systemTimer().pause(SETTLED_MS);
  if (isGitAtWork(repository)) return [];
  return seen
    .filter(([lock, stamp]) => stamp !== null && stampOf(lock) === stamp && isRemoved(lock))
    .map(([lock]) => lock);
}

function stampOf(lock: string): string | null {
  const stats = lstatSync(lock, { throwIfNoEntry: false, bigint: true });
  return stats?.isFile() ? `${stats.ino} ${stats.ctimeNs}` : null;
}

function isRemoved(lock: string): boolean {
  try {
    unlinkSync(lock);
    return true;
  } catch {
    // In a folder that is closed to this user, or gone meanwhile.
    return false;
  }
}

/** Whether a process of git works in a repository; true where that cannot be found out. Baton's own do not count. */
export function isGitAtWork({ root, gitDir, commonDir }: GitFolders): boolean {
  const folders = [root, gitDir, commonDir];
  let pids: readonly string[];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    // A system without it.
    return true;
  }
  return pids.some((pid) => {
    const about = processOf(pid);
    if (about === null || !/^git\b/.test(about.program) || about.parent === process.pid) return false;
    return folders.some(
      (folder) => about.folder === null || isWithin(folder, about.folder) || about.words.includes(folder),
    );
  });
}

/** Null where it has ended meanwhile. The folder is null where it is closed to this user. */
function processOf(pid: string) {
  try {
    const [, program = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const [state, parent] = rest.split(' ');
    return state === 'Z' ? null : { program, parent: Number(parent), words, folder: folderOf(pid) };
  } catch {
    return null;
  }
}

function folderOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}
