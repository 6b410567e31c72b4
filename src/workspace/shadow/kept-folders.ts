import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RULES_FOLDER } from '../executed-by-git/ignore-rules.ts';
import { type ObjectStore, storeName } from './object-store.ts';

/** A store, and the workspaces that are recorded in it. */
export interface KeptStore {
  readonly store: ObjectStore;
  readonly roots: readonly string[];
  /** Trees that the indexes of these workspaces hold. */
  readonly trees: readonly string[];
}

const STORE = '.store';

/** Every store of a data folder. */
export function keptStores(keptFolder: string): readonly KeptStore[] {
  if (!existsSync(keptFolder)) return [];
  const names = readdirSync(keptFolder).filter((name) => !name.endsWith('.new') && name !== RULES_FOLDER);
  const workspaces = names
    .filter((name) => !name.endsWith(STORE))
    .flatMap((name) => workspaceIn(join(keptFolder, name)));
  return names
    .filter((name) => name.endsWith(STORE) && existsSync(join(keptFolder, name, 'objects')))
    .map((name) => {
      const own = workspaces.filter((each) => each.storeName === name);
      const folder = join(keptFolder, name);
      return {
        store: { folder, objects: join(folder, 'objects') },
        roots: own.map(({ root }) => root),
        trees: [...new Set(own.flatMap(({ trees }) => trees))],
      };
    });
}

/** The workspaces that a data folder knows. */
export function workspaceRoots(keptFolder: string): readonly string[] {
  if (!existsSync(keptFolder)) return [];
  const names = readdirSync(keptFolder).filter((name) => !/\.(new|store)$/.test(name) && name !== RULES_FOLDER);
  return names.flatMap((name) => {
    const [, root] = listIn(join(keptFolder, name, 'made-for'));
    return typeof root === 'string' ? [root] : [];
  });
}

/** None where its files cannot be read: it is made again by the next run. */
function workspaceIn(folder: string) {
  const [, root, commonDir] = listIn(join(folder, 'made-for'));
  if (typeof root !== 'string' || typeof commonDir !== 'string') return [];
  return [{ root, storeName: storeName(commonDir), trees: indexedTrees(folder) }];
}

function indexedTrees(folder: string): readonly string[] {
  const { tree, head } = (jsonIn(join(folder, 'index-state.json')) ?? {}) as { tree?: unknown; head?: unknown };
  return [tree, head].filter((name): name is string => typeof name === 'string' && /^[0-9a-f]{40,64}$/.test(name));
}

function listIn(file: string): readonly unknown[] {
  const list = jsonIn(file);
  return Array.isArray(list) ? list : [];
}

/** The first line of a file as JSON; null where there is none. */
function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8').split('\n', 1)[0] ?? '');
  } catch {
    // Absent, or cut short.
    return null;
  }
}
