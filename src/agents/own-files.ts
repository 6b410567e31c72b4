import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { AgentFacts } from '../domain/agent/agent.ts';
import { isWithin } from '../domain/work/path-text.ts';
import { programFiles } from './program/program-files.ts';

export interface CommandPlaces {
  /** Base of relative paths in the configuration: the git root, or the folder beside the data folder. */
  readonly root: string;
  /** The homes of the user. */
  readonly homes: readonly string[];
  /** The PATH that agents get. */
  readonly path: string;
}

export interface OwnFiles {
  /** The command with its own files by their absolute paths, so that it may start in any folder. */
  readonly command: readonly string[];
  /** Paths that a sandbox shows for it, read-only. Searched for when somebody asks: the settings of a node list every agent. */
  readonly ownPaths: readonly string[];
}

/** Finds the files of a configured command: its program, the script that it runs, and the files that the user names. */
export function ownFiles(
  command: readonly string[],
  { root, homes, path }: CommandPlaces,
  files: readonly string[] = [],
): OwnFiles {
  const [name = '', ...others] = command;
  const program = name.includes('/') ? resolve(root, name) : name;
  const scriptAt = others.findIndex((word) => !word.startsWith('-'));
  const named = resolve(root, others[scriptAt] ?? '');
  // A grant has real paths only, so a script runs by its real path. The sandbox shows the link of a program itself.
  const script = isFile(named) ? realpathSync(named) : null;
  const args = others.map((word, at) => (script !== null && at === scriptAt ? script : word));
  const started = [isAbsolute(program) ? program : onPath(program, path), script === null ? null : named];
  let found: readonly string[] | null = null;
  return {
    command: [program, ...args],
    get ownPaths() {
      found ??= [...new Set([...shownPathsOf(started), ...files.flatMap(realOf)])];
      return found;
    },
  };

  function shownPathsOf(programs: readonly (string | null)[]): readonly string[] {
    const present = programs.filter((file) => file !== null);
    return present.flatMap((file) => programFiles(file, { homes, path, cwd: null }).paths);
  }

  function realOf(file: string): string[] {
    const whole = resolve(root, file.replace(/^~(?=\/)/, homes[0] ?? '~'));
    return statSync(whole, { throwIfNoEntry: false }) ? [realpathSync(whole)] : [];
  }
}

function onPath(name: string, path: string): string | null {
  const folders = path.split(':').filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isFile) ?? null;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/**
 * The files of an agent's command that its sandbox shows. A folder above the workspace would expose what the order does not
 * grant, so of such a folder only the files that the command names are shown.
 */
export function shownPaths({ command, ownPaths }: AgentFacts, workspace: string): string[] {
  return ownPaths.flatMap((path) =>
    isWithin(path, workspace) ? (command ?? []).filter((word) => word !== path && isWithin(path, word)) : [path],
  );
}
