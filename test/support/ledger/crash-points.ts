import { sourceFiles } from '../../house/source-file.ts';
import type { KilledFolder } from './kill-lives.ts';

interface CrashPoint {
  /** The modes of the program that reach it. */
  readonly modes: readonly string[];
  /** The times at which it is killed there in npm test; npm run faults has more. */
  readonly counts: readonly number[];
}

/** Every place where src lets itself be killed. */
export const CRASH_POINTS: Readonly<Record<string, CrashPoint>> = {
  'commit.before': { modes: [], counts: [1, 2, 9] },
  'commit.after': { modes: [], counts: [1, 2, 9] },
  'mirror.intents-recorded': { modes: ['shown'], counts: [1, 3] },
  'mirror.temp-written': { modes: [], counts: [1, 5] },
  'mirror.file-written': { modes: [], counts: [1, 5] },
  'mirror.renamed': { modes: [], counts: [1] },
  'mirror.folder-renamed': { modes: ['edit'], counts: [1] },
  'mirror.kept-aside': { modes: ['edit'], counts: [1] },
  'mirror.removed': { modes: ['edit'], counts: [1] },
  'mirror.events-appended': { modes: ['shown'], counts: [1, 3] },
  'mirror.settled': { modes: ['shown'], counts: [1, 2] },
  'backup.sealed': { modes: ['backup'], counts: [1] },
  'restore.kept': { modes: ['backup', 'restore'], counts: [1] },
};

/**
 * The crash points of the data folder, as they stand in src. Those of a workspace are killed in
 * src/workspace/killed-midway.test.ts, those of work that travels in src/remote/killed-midway.test.ts, and those of tasks
 * between nodes in test/e2e/remote/remote-killed.test.ts, and those of messages in test/e2e/federation/agent-mail.test.ts.
 */
export function declaredCrashPoints(): string[] {
  return allCrashPoints().filter((name) => !/^(workspace|parcel|federation|message)\./.test(name));
}

/** Those at which a node is killed that sends or carries out a task of another. */
export function remoteCrashPoints(): string[] {
  return allCrashPoints().filter((name) => /^(federation|parcel)\./.test(name));
}

function allCrashPoints(): string[] {
  const names = sourceFiles('src').flatMap(({ text }) =>
    [...text.matchAll(/crashPoint\('([^']+)'\)/g)].map(([, name]) => name ?? ''),
  );
  return [...new Set(names)].toSorted();
}

/** Kills the program at a point; false where it never got there. */
export async function killAt(folder: KilledFolder, name: string, count: number): Promise<boolean> {
  const modes = CRASH_POINTS[name]?.modes ?? [];
  // Some places are reached only if an edit of a person meets a write of the mirror: another life may have what one lacked.
  for (const seed of [count, count + 100, count + 200]) {
    const played = await folder.play({ seed, modes, environment: { BATON_CRASH: `${name}:${count}` } });
    if (played.signal === 'SIGKILL') return true;
    if (played.signal === null && played.status !== 0) throw new Error(played.stderr);
  }
  return false;
}
