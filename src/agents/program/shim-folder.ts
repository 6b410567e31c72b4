import { basename, dirname, join } from 'node:path';
import { isProgram } from '../../platform/find-program.ts';
import { type FoundProgram, mayShow, type ProgramPlaces } from './installed-folder.ts';
import { isFile, isFolder } from './look-at-file.ts';

/** Version managers whose shims choose among the programs that they installed in their own folder. */
const MANAGERS = ['asdf', 'pyenv', 'rbenv', 'nodenv', 'goenv', 'jenv', 'plenv', 'phpenv', 'mise', 'rtx'];

/** The folder of the version manager behind a shim: known by its name or its program, not by its subfolders alone. */
export function managerOf({ name, real }: FoundProgram, places: ProgramPlaces): readonly string[] {
  const folder = dirname(dirname(name));
  if (!mayShow(folder, places)) return [];
  if (basename(real) === 'volta-shim' && isFolder(join(folder, 'tools'))) return [folder];
  const isShim =
    basename(dirname(name)) === 'shims' && ['versions', 'installs'].some((each) => isFolder(join(folder, each)));
  if (!isShim || !isManager(folder)) return [];
  const chosen = places.homes.map((home) => join(home, '.tool-versions')).filter(isFile);
  return [folder, ...chosen];
}

function isManager(folder: string): boolean {
  const programs = MANAGERS.flatMap((manager) => [join(folder, 'bin', manager), join(folder, 'libexec', manager)]);
  return MANAGERS.includes(basename(folder).replace(/^\./, '')) || programs.some(isProgram);
}
