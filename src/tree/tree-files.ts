import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { MIRROR_FILE_BYTES_MAX } from '../domain/limits.ts';
import { crashPoint } from '../platform/crash-point.ts';
import type { Ids } from '../platform/ids.ts';
import type { HeldEdits } from './held-edits.ts';
import type { FileMove, FileWrite, TaskPlan } from './plan-task.ts';
import { ForeignContent, TreeFault } from './tree-fault.ts';
import { folderOf, isOpenToPeople } from './tree-paths.ts';

const TEMPORARY = /^\.baton-[0-9A-HJKMNP-TV-Z]{26}\.tmp$/;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

export type Look =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly sha256: string }
  /** A link, or more than Baton ever writes: not to be read. */
  | { readonly kind: 'strange' };

export interface TreeFilesParts {
  readonly root: string;
  readonly ids: Ids;
  /** What is open to people is judged before it is put aside. */
  readonly edits: HeldEdits;
  /** Told of each file that was not Baton's, and where it was put. */
  onKept(path: string, keptAs: string): void;
}

/**
 * The only hand on the files of the tree. Whole files or none; nothing is written through a link; a file that Baton did
 * not write is never lost. Nothing is synced: the tree can be made again from the ledger.
 */
export class TreeFiles {
  readonly #parts: TreeFilesParts;
  /** Folders seen since the last `forgetFolders`; true for one that was made, and so is empty of others' files. */
  readonly #folders = new Map<string, boolean>();

  constructor(parts: TreeFilesParts) {
    this.#parts = parts;
  }

  /** Folders can go, and links can take their place: nothing is believed for longer than a batch. */
  forgetFolders(): void {
    this.#folders.clear();
  }

  at(path: string): string {
    return join(this.#parts.root, path);
  }

  /** True where the folder was made just now. */
  ensureFolder(path: string): boolean {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    if (path.includes('/')) this.ensureFolder(folderOf(path));
    const stat = fs.lstatSync(this.at(path), { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) throw new TreeFault('symlink', `${path} is a link; links are not followed`, path);
    if (stat && !stat.isDirectory()) throw new TreeFault('enotdir', `${path} is no folder`, path);
    if (!stat) fs.mkdirSync(this.at(path), { mode: PRIVATE_FOLDER });
    this.#folders.set(path, !stat);
    return !stat;
  }

  look(path: string): Look {
    const stat = fs.lstatSync(this.at(path), { throwIfNoEntry: false });
    if (!stat) return { kind: 'absent' };
    if (stat.isDirectory()) throw new TreeFault('eisdir', `${path} is a folder where a file belongs`, path);
    if (!stat.isFile() || stat.size > MIRROR_FILE_BYTES_MAX) return { kind: 'strange' };
    const bytes = fs.readFileSync(this.at(path), { flag: fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW });
    return { kind: 'file', sha256: hash('sha256', bytes) };
  }

  /** Brings a file to its content; one that is not Baton's is kept beside it first. */
  write({ path, text, sha256, own }: FileWrite): void {
    const isNewFolder = this.ensureFolder(folderOf(path));
    const look: Look = isNewFolder && own.length === 0 ? { kind: 'absent' } : this.look(path);
    if (look.kind === 'file' && look.sha256 === sha256) return;
    const isForeign = look.kind === 'strange' || (look.kind === 'file' && !own.includes(look.sha256));
    if (isForeign) this.#putAside(look, { path, beside: path });
    this.#replace(path, text);
    crashPoint('mirror.file-written');
  }

  #replace(path: string, text: string): void {
    const temporary = this.temporaryIn(folderOf(path));
    try {
      fs.writeFileSync(temporary, text, { encoding: 'utf8', flag: 'wx', mode: PRIVATE_FILE });
      crashPoint('mirror.temp-written');
      const stat = fs.lstatSync(temporary);
      fs.renameSync(temporary, this.at(path));
      this.#parts.edits.onWritten(path, stat);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
  }

  /** A name of Baton's own that nobody can guess. */
  temporaryIn(folder: string): string {
    return join(this.at(folder), `.baton-${this.#parts.ids.ulid()}.tmp`);
  }

  /** Renamed, never copied. Where both places are taken, the one it goes to stands. */
  move({ from, to, own }: FileMove): void {
    this.ensureFolder(folderOf(to));
    if (!fs.lstatSync(this.at(from), { throwIfNoEntry: false })) return;
    if (fs.lstatSync(this.at(to), { throwIfNoEntry: false })) {
      this.remove({ path: from, own }, to);
      return;
    }
    fs.renameSync(this.at(from), this.at(to));
    crashPoint('mirror.renamed');
  }

  /** Only what Baton wrote is removed; anything else is kept beside `beside`. */
  remove({ path, own }: { readonly path: string; readonly own: readonly string[] }, beside = path): void {
    const look = this.look(path);
    if (look.kind === 'absent') return;
    if (look.kind === 'file' && own.includes(look.sha256)) fs.unlinkSync(this.at(path));
    else this.#putAside(look, { path, beside });
    crashPoint('mirror.removed');
  }

  #putAside(look: Look, { path, beside }: { readonly path: string; readonly beside: string }): void {
    if (look.kind === 'file' && isOpenToPeople(path) && this.#parts.edits.isJudged) throw new ForeignContent(path);
    this.keepAside(path, beside);
  }

  /** D-A10: nothing typed is lost: `<name>.rejected.<ending>`, or the first free number of it. */
  keepAside(path: string, beside: string): void {
    const keptAs = this.freeNameFor(beside);
    fs.renameSync(this.at(path), this.at(keptAs));
    this.#parts.onKept(path, keptAs);
    crashPoint('mirror.kept-aside');
  }

  freeNameFor(path: string): string {
    return rejectedNames(this.#parts.root, path, 1)[0] ?? path;
  }

  /** What a process that died left half written. */
  async sweep(folder: string): Promise<void> {
    // A folder that is gone, or is none, has nothing to sweep; who writes there next will tell.
    const names = await fs.promises.readdir(this.at(folder)).catch(() => []);
    for (const name of names) if (TEMPORARY.test(name)) fs.rmSync(join(this.at(folder), name), { force: true });
  }
}

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
  files.forgetFolders();
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

/** D-A10: `<name>.rejected.<ending>`, or the first free numbers of it, for what is not taken over. */
export function rejectedNames(root: string, path: string, count: number): string[] {
  const dot = path.lastIndexOf('.');
  const end = dot > path.lastIndexOf('/') ? dot : path.length;
  const names: string[] = [];
  for (let number = 1; names.length < count; number++) {
    const mark = number === 1 ? '.rejected' : `.rejected-${number}`;
    const name = `${path.slice(0, end)}${mark}${path.slice(end)}`;
    if (!lstatSync(join(root, name), { throwIfNoEntry: false })) names.push(name);
  }
  return names;
}

/** In the order of the plan: a result of an old run is out of the way before the new run's file is there. */
export function performPlan(plan: TaskPlan, files: TreeFiles): void {
  for (const { from, to } of plan.folderMoves) moveFolder(files, from, to);
  for (const move of plan.moves) files.move(move);
  for (const folder of plan.folders) files.ensureFolder(folder);
  for (const write of plan.writes) files.write(write);
  for (const removal of plan.removals) files.remove(removal);
}
