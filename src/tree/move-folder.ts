import * as fs from 'node:fs';
import { crashPoint } from '../platform/crash-point.ts';
import type { TreeFiles } from './tree-files.ts';
import { folderOf } from './tree-paths.ts';

/** Brings a folder with all that people put in it to another place; where that is taken, the two become one. */
export function moveFolder(files: TreeFiles, from: string, to: string): void {
  if (!isFolder(files, from)) return;
  files.ensureFolder(folderOf(to));
  if (fs.lstatSync(files.at(to), { throwIfNoEntry: false })) {
    mergeFolder(files, from, to);
    fs.rmdirSync(files.at(from));
  } else {
    fs.renameSync(files.at(from), files.at(to));
  }
  files.lookAgain();
  crashPoint('mirror.folder-renamed');
}

function mergeFolder(files: TreeFiles, from: string, to: string): void {
  files.ensureFolder(to);
  for (const name of fs.readdirSync(files.at(from))) {
    const [source, target] = [`${from}/${name}`, `${to}/${name}`];
    if (!fs.lstatSync(files.at(target), { throwIfNoEntry: false })) fs.renameSync(files.at(source), files.at(target));
    else if (isFolder(files, source) && isFolder(files, target)) moveFolder(files, source, target);
    else files.keepAside(source, target);
  }
}

/** A link to a folder is none. */
function isFolder(files: TreeFiles, path: string): boolean {
  return fs.lstatSync(files.at(path), { throwIfNoEntry: false })?.isDirectory() ?? false;
}
