import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GitPlace, git } from '../git.ts';
import { WorkspaceFault } from '../workspace-fault.ts';
import { isWholeFolder } from './private-repository.ts';

/** A task whose diff and undo fail: an object of its saved files is gone or torn. */
export interface LostObject {
  readonly task: string;
  readonly object: string;
}

interface SavedState {
  readonly task: string;
  readonly commit: string;
}

/** States that are looked at in a store, newest names last: doctor stays quick. */
const STATES_MAX = 2_000;
/** Tasks that are looked at one by one once an object is missing. */
const TASKS_MAX = 100;
const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const NAME = /^refs\+baton\+(TASK-[\d-]+)\+/;

/** Finds tasks whose saved files cannot be read any more. Objects that a store borrows are looked for in the repository. */
export async function findLostObjects(keptFolder: string): Promise<readonly LostObject[]> {
  const folders = existsSync(keptFolder) ? readdirSync(keptFolder) : [];
  const lost: LostObject[] = [];
  for (const store of folders.filter((name) => name.endsWith('.store'))) {
    const states = statesIn(join(keptFolder, store));
    const paths = folders.map((name) => join(keptFolder, name));
    const place = placeFor(join(keptFolder, store), paths, states[0]?.commit.length ?? 0);
    if (place !== null) lost.push(...(await lostAmong(place, states)));
  }
  return lost;
}

function statesIn(store: string): readonly SavedState[] {
  const names = existsSync(join(store, 'names')) ? readdirSync(join(store, 'names')) : [];
  return names
    .filter((name) => !name.endsWith('.modes'))
    .slice(-STATES_MAX)
    .flatMap((name) => {
      const commit = readFileSync(join(store, 'names', name), 'utf8');
      const task = NAME.exec(name)?.[1];
      return task !== undefined && COMMIT.test(commit) ? [{ task, commit }] : [];
    });
}

/** Any git folder of the same object format reads the store; null where there is none. */
function placeFor(store: string, folders: readonly string[], hashLength: number): GitPlace | null {
  const isFit = (folder: string) =>
    isWholeFolder(folder) &&
    readFileSync(join(folder, 'config'), 'utf8').includes('objectformat = "sha256"') === (hashLength === 64);
  const folder = folders.find((path) => !path.endsWith('.store') && isFit(path));
  if (folder === undefined || hashLength === 0) return null;
  return { gitDir: folder, workTree: folder, env: { GIT_OBJECT_DIRECTORY: join(store, 'objects') } };
}

async function lostAmong(place: GitPlace, states: readonly SavedState[]): Promise<readonly LostObject[]> {
  if ((await firstLost(place, states)) === null) return [];
  const tasks = [...new Set(states.map(({ task }) => task))].slice(-TASKS_MAX);
  const lost: LostObject[] = [];
  for (const task of tasks) {
    const object = await firstLost(
      place,
      states.filter((state) => state.task === task),
    );
    if (object !== null) lost.push({ task, object });
  }
  return lost;
}

/** The first object of these states that git does not find or cannot read; their history is not looked at. */
async function firstLost(place: GitPlace, states: readonly SavedState[]): Promise<string | null> {
  const input = Buffer.from(states.map(({ commit }) => `${commit}\n`).join(''));
  const known = await git(place, { args: ['cat-file', '--batch-check=%(objectname)'], input });
  const missing = /^([0-9a-f]+) missing$/m.exec(known.stdout.toString('latin1'));
  if (missing) return missing[1] ?? null;
  try {
    const args = ['rev-list', '--objects', '--no-object-names', '--no-walk', '--missing=print', '--stdin'];
    const { stdout } = await git(place, { args, input });
    return /^\?([0-9a-f]+)$/m.exec(stdout.toString('latin1'))?.[1] ?? null;
  } catch (error) {
    if (error instanceof WorkspaceFault && error.damagedObject !== null) return error.damagedObject;
    throw error;
  }
}
