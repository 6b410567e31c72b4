import { dirname, join } from 'node:path';
import { isProgram } from '../../platform/find-program.ts';
import { headOf, isFile, realPath } from './look-at-file.ts';

const SHELL = /\/(?:ba|da|z|k|a)?sh$|\/fish$/;

/** The programs that a script starts: the interpreter of its first line, and those that a shell script passes control to. */
export function startedBy(real: string, path: string): readonly string[] {
  const text = headOf(real);
  const line = /^#![ \t]*([^\r\n]+)/.exec(text ?? '')?.[1];
  if (!text || !line) return [];
  const [interpreter = '', ...words] = line.trim().split(/\s+/);
  const isEnv = /\/env$/.test(interpreter);
  // env -S splits the words itself; assignments and options come before the name.
  const name = isEnv ? words.find((word) => !word.startsWith('-') && !word.includes('=')) : interpreter;
  const found = name === undefined ? null : locate(name, path);
  const isShell = SHELL.test(`/${name}`);
  return [...(found === null ? [] : [found]), ...(isShell ? passedOn(text, real, path) : [])];
}

/** Commands of a shell script: `exec PROGRAM`, a line that begins with a path, and files beside the script itself. */
function passedOn(text: string, real: string, path: string): string[] {
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line));
  return lines.flatMap((line) => {
    const started = /^\s*(?:exec\s+(?:-\S+\s+)*)?["']?([^\s"']+)/.exec(line)?.[1] ?? '';
    const isCommand = /^\s*exec\s/.test(line) || started.startsWith('/');
    const program = isCommand ? locate(started, path) : null;
    return [...(program === null ? [] : [program]), ...besideItself(line, dirname(real))];
  });
}

/** npm, pnpm and their kin write scripts that start a file by its place relative to the script. */
const BESIDE = /(?:\$\{?basedir\}?|\$\(dirname [^)]*\)|\$\{0%\/\*\})"?\/([^"'\s;)]+)/g;

function besideItself(line: string, folder: string): string[] {
  const files = [...line.matchAll(BESIDE)].map(([, rest = '']) => join(folder, rest));
  return files.filter((file) => isProgram(file) || (isFile(file) && /\.[cm]?js$|\.py$/.test(realPath(file) ?? '')));
}

/** Only what can be started: a file that is no program may be anybody's secret. */
function locate(name: string, path: string): string | null {
  if (name.startsWith('/')) return isProgram(name) ? name : null;
  if (name.includes('/') || !/^[\w.+-]+$/.test(name)) return null;
  const folders = path.split(':').filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}
