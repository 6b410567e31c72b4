import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RULES_FOLDER } from './executed-by-git/ignore-rules.ts';
import { readPlainFile } from './files/read-plain-file.ts';
import { savedState } from './git-state/saved-states.ts';
import { savedIgnored } from './ignored/saved-ignored.ts';

/** Saved states of git and of ignored files, with the copies that they name, and ignore rules: each a file named by its hash. */
export interface SweepRequest {
  readonly dataFolder: string;
  /** The names of states and rules that stay, with everything that they name. */
  readonly kept: ReadonlySet<string>;
  /** Milliseconds since 1970: a file that was saved or used since then stays, because its state may not be recorded yet. */
  readonly before: number;
  /** Counts what would be removed, and removes nothing. */
  readonly isDry: boolean;
}

export interface Swept {
  readonly files: number;
  readonly bytes: number;
}

const NAME = /^[0-9a-f]{32,64}$/;
const LAST_BYTES_MAX = 1_000;

/** Removes files that nothing names. It does not wait for anything: no run can record a state meanwhile. */
export function sweepSaved(request: SweepRequest): Swept {
  const { dataFolder, kept } = request;
  const swept = [
    sweep(join(dataFolder, 'saved', 'git'), namedByGit(dataFolder, withNested(dataFolder, kept)), request),
    sweep(join(dataFolder, 'saved', 'ignored'), namedByIgnored(dataFolder, kept), request),
    sweep(join(dataFolder, 'shadows', RULES_FOLDER), kept, request),
  ];
  return {
    files: swept.reduce((sum, { files }) => sum + files, 0),
    bytes: swept.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** A state that is there and cannot be read may name anything: then nothing is removed. */
type NamedFolders = ReadonlySet<string> | null;

/** The states of nested repositories belong to a state of ignored files. */
function withNested(dataFolder: string, kept: ReadonlySet<string>): NamedFolders {
  const states = statesIn(join(dataFolder, 'saved', 'ignored'), kept).map((name) => savedIgnored(dataFolder, name));
  if (states.includes(null)) return null;
  const nested = states.flatMap((state) => Object.values(state?.repositories ?? {}));
  return new Set([...kept, ...nested.flatMap(({ gitState }) => gitState ?? [])]);
}

function namedByGit(dataFolder: string, kept: NamedFolders): NamedFolders {
  if (kept === null) return null;
  const named = new Set(kept);
  for (const name of statesIn(join(dataFolder, 'saved', 'git'), kept)) {
    const state = savedState(dataFolder, name);
    if (state === null) return null;
    if (state.index !== null) named.add(state.index);
  }
  return named;
}

function namedByIgnored(dataFolder: string, kept: ReadonlySet<string>): NamedFolders {
  const named = new Set(kept);
  for (const name of statesIn(join(dataFolder, 'saved', 'ignored'), kept)) {
    const state = savedIgnored(dataFolder, name);
    if (state === null) return null;
    for (const { hash } of Object.values(state.files)) if (hash !== null) named.add(hash);
  }
  return named;
}

function statesIn(folder: string, kept: ReadonlySet<string>): readonly string[] {
  return [...kept].filter((name) => existsSync(join(folder, name)));
}

function sweep(folder: string, named: NamedFolders, { before, isDry }: SweepRequest): Swept {
  const swept = { files: 0, bytes: 0 };
  if (named === null || !existsSync(folder)) return swept;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.ctimeMs >= before) continue;
    // `last-…` names the state that was saved last for a workspace.
    const state = name.startsWith('last-') ? (readPlainFile(file, LAST_BYTES_MAX) ?? '') : name;
    if (!NAME.test(state) || named.has(state)) continue;
    swept.files++;
    swept.bytes += stats.size;
    if (!isDry) rmSync(file, { force: true });
  }
  return swept;
}
