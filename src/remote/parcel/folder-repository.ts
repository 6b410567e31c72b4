import { existsSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { withoutEnd } from '../../domain/words/without-end.ts';
import { isWithin } from '../../domain/work/path-text.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { ownFolders } from '../../workspace/own-folders.ts';
import { realPathOf } from '../../workspace/resolve-path.ts';
import { NO_BRANCH } from '../../workspace/shadow/private-repository.ts';

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n';

/** The git folder of Baton's own for a folder that is not in git: the named files of it can travel, and be compared later. */
function folderOfRound(dataFolder: string, task: string, round: number): string {
  return join(ownFolders(dataFolder), `${task}-${round}`);
}

export interface NamedFolder {
  readonly dataFolder: string;
  readonly task: string;
  readonly round: number;
  readonly workspaceRoot: string;
}

/** Makes, or finds, the repository of Baton's own for a folder. It ignores everything until paths are named. */
export function openFolderRepository({ dataFolder, task, round, workspaceRoot }: NamedFolder): Repository {
  const gitDir = folderOfRound(dataFolder, task, round);
  for (const part of ['refs', 'objects', 'info']) makeFoldersIn(dataFolder, join(gitDir, part));
  const texts = { config: CONFIG, HEAD: NO_BRANCH, [join('info', 'exclude')]: '/*\n' };
  for (const [name, text] of Object.entries(texts)) {
    if (!existsSync(join(gitDir, name))) replaceFile(join(gitDir, name), text);
  }
  const real = realpathSync(gitDir);
  return { root: realPathOf(workspaceRoot, '/') ?? workspaceRoot, gitDir: real, commonDir: real };
}

/** Takes the named paths, and nothing else of the folder, into account; those that lead out of it are refused. */
export function nameInputs({ root, commonDir }: Repository, paths: readonly string[]): Refusal | null {
  const inner: string[] = [];
  for (const path of paths) {
    const real = realPathOf(path, root);
    if (real === null || !isWithin(root, real)) {
      return refuse('invalid_argument', `the input ${path} lies outside of ${root}, and cannot travel to another node`);
    }
    if (real === root) continue;
    inner.push(relative(root, real));
  }
  const isWhole = inner.length < paths.length;
  return isWhole ? writeRules(commonDir, '') : nameFiles({ commonDir }, inner);
}

/** The same for paths of files and folders from the root. */
export function nameFiles({ commonDir }: Pick<Repository, 'commonDir'>, paths: readonly string[]): Refusal | null {
  const odd = paths.find((path) => /[\r\n]/.test(path));
  if (odd !== undefined) {
    return refuse(
      'invalid_argument',
      `${JSON.stringify(odd)} has a line end in its name, and cannot travel without git`,
    );
  }
  return writeRules(commonDir, rulesFor(paths));
}

function writeRules(commonDir: string, rules: string): null {
  replaceFile(join(commonDir, 'info', 'exclude'), rules);
  return null;
}

/** Ignores everything but these paths: each folder on the way is taken in, and everything else in it left out. */
function rulesFor(paths: readonly string[]): string {
  const lines = new Set(['/*']);
  for (const path of [...paths].sort()) {
    const parts = path.split('/');
    for (const [at] of parts.entries()) {
      const shown = `/${parts
        .slice(0, at + 1)
        .map(escaped)
        .join('/')}`;
      lines.add(`!${shown}`);
      if (at < parts.length - 1) lines.add(`${shown}/*`);
    }
  }
  return `${[...lines].join('\n')}\n`;
}

/** Characters that mean something in a rule, and blanks at the end of one. */
function escaped(name: string): string {
  const words = withoutEnd(name, ' ');
  return words.replaceAll(/[\\*?[\]!#]/g, '\\$&') + '\\ '.repeat(name.length - words.length);
}
