import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { MIRROR_FILE_BYTES_MAX, TREE_SEEN_FILES_MAX } from '../domain/limits.ts';
import type { Ids } from '../platform/ids.ts';
import { crashPoint } from '../platform/process/crash-point.ts';
import type { HeldEdits } from './held-edits.ts';
import type { FileMove, FileWrite, TaskPlan } from './plan-task.ts';
import { TreeFault, UnknownContent } from './tree-fault.ts';
import { folderOf, isOpenToPeople } from './tree-paths.ts';

const TEMPORARY = /^\.baton-[0-9A-HJKMNP-TV-Z]{26}\.tmp$/;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

export type Inspection =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly sha256: string }
  /** A link, or larger than any file of Baton's; not read. */
  | { readonly kind: 'strange' };

export type WrittenStamp = Pick<fs.Stats, 'ino' | 'size' | 'mtimeMs'>;

export interface TreeFilesParts {
  readonly root: string;
  readonly ids: Ids;
  /** Edited files are judged before they are set aside, if somebody judges. */
  readonly edits: HeldEdits;
  /** Called for each file that was not Baton's, with its new name. */
  onKept(path: string, keptAs: string): void;
}

/**
 * Writes the files of the mirror, each one completely or not at all. It writes through no link and never loses a file
 * that Baton did not write. It syncs nothing: the ledger can write the tree again.
 */
export class TreeFiles {
  readonly #parts: TreeFilesParts;
  /** Folders checked since the last `forgetFolders`; true if this process created it, so that it has no files of others. */
  readonly #folders = new Map<string, boolean>();

  readonly #written = new Map<string, WrittenStamp>();

  constructor(parts: TreeFilesParts) {
    this.#parts = parts;
  }

  /** Called for each batch: folders can be removed, or replaced by links. */
  forgetFolders(): void {
    this.#folders.clear();
  }

  /** The tree's own paths are in their shortest form; `join` would look at every character of each again. */
  at(path: string): string {
    return `${this.#parts.root}/${path}`;
  }

  /** True if it created the folder. */
  ensureFolder(path: string): boolean {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    if (path.includes('/')) this.ensureFolder(folderOf(path));
    const stat = fs.lstatSync(this.at(path), { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) throw new TreeFault('symlink', `${path} is a link, and links are not followed`, path);
    if (stat && !stat.isDirectory()) throw new TreeFault('enotdir', `${path} is not a folder`, path);
    if (!stat) fs.mkdirSync(this.at(path), { mode: PRIVATE_FOLDER });
    this.#folders.set(path, !stat);
    return !stat;
  }

  inspect(path: string): Inspection {
    const stat = fs.lstatSync(this.at(path), { throwIfNoEntry: false });
    if (!stat) return { kind: 'absent' };
    if (stat.isDirectory()) throw new TreeFault('eisdir', `${path} is a folder where a file belongs`, path);
    if (!stat.isFile() || stat.size > MIRROR_FILE_BYTES_MAX) return { kind: 'strange' };
    const bytes = fs.readFileSync(this.at(path), { flag: fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW });
    return { kind: 'file', sha256: hash('sha256', bytes) };
  }

  /** Writes a file; if the path has a file that is not Baton's, sets that aside first. */
  write({ path, text, sha256, own }: FileWrite): void {
    const isNewFolder = this.ensureFolder(folderOf(path));
    const found: Inspection = isNewFolder && own.length === 0 ? { kind: 'absent' } : this.inspect(path);
    if (found.kind === 'file' && found.sha256 === sha256) return;
    const isOfOthers = found.kind === 'strange' || (found.kind === 'file' && !own.includes(found.sha256));
    if (isOfOthers) this.#putAside(found, { path, beside: path });
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
      this.#rememberWritten(path, stat);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
  }

  /** Without its ctime, which the rename still changes. */
  #rememberWritten(path: string, { ino, size, mtimeMs }: fs.Stats): void {
    if (!this.#parts.edits.isJudged) return;
    this.#written.delete(path);
    this.#written.set(path, { ino, size, mtimeMs });
    const [oldest] = this.#written.keys();
    if (this.#written.size > TREE_SEEN_FILES_MAX && oldest !== undefined) this.#written.delete(oldest);
  }

  /** The stamp of a file as written here; undefined for the oldest, and for all if nobody judges edits. */
  writtenAt(path: string): WrittenStamp | undefined {
    return this.#written.get(path);
  }

  /** An unguessable name. */
  temporaryIn(folder: string): string {
    return `${this.at(folder)}/.baton-${this.#parts.ids.ulid()}.tmp`;
  }

  /** Renames, never copies. If both paths exist, the file at `to` stays. */
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

  /** Removes a file of Baton's; sets any other aside under a name beside `beside`. */
  remove({ path, own }: { readonly path: string; readonly own: readonly string[] }, beside = path): void {
    const found = this.inspect(path);
    if (found.kind === 'absent') return;
    if (found.kind === 'file' && own.includes(found.sha256)) fs.unlinkSync(this.at(path));
    else this.#putAside(found, { path, beside });
    crashPoint('mirror.removed');
  }

  #putAside(found: Inspection, { path, beside }: { readonly path: string; readonly beside: string }): void {
    if (found.kind === 'file' && isOpenToPeople(path) && this.#parts.edits.isJudged) throw new UnknownContent(path);
    this.setAside(path, beside);
  }

  /** Renames a file to the first free rejected name of `beside` (aof:rejected-edits). */
  setAside(path: string, beside: string): void {
    const keptAs = this.freeNameFor(beside);
    fs.renameSync(this.at(path), this.at(keptAs));
    this.#parts.onKept(path, keptAs);
    crashPoint('mirror.kept-aside');
  }

  freeNameFor(path: string): string {
    return rejectedNames(this.#parts.root, path, 1)[0] ?? path;
  }

  /** Removes temporary files of a process that died. */
  async sweep(folder: string): Promise<void> {
    // A missing folder has nothing to sweep; the next write reports it.
    const names = await fs.promises.readdir(this.at(folder)).catch(() => []);
    for (const name of names) if (TEMPORARY.test(name)) fs.rmSync(join(this.at(folder), name), { force: true });
  }
}

/** Moves a folder with all its files; if the target exists, merges the two. */
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
    else files.setAside(source, target);
  }
}

/** False for a link to a folder. */
function isFolder(files: TreeFiles, path: string): boolean {
  return fs.lstatSync(files.at(path), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The first free names `<name>.rejected.<ending>`, `<name>.rejected-2.<ending>`, … (aof:rejected-edits). */
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

/** Follows the order of the plan: the files of an old run are moved before those of the new one are written. */
export function performPlan(plan: TaskPlan, files: TreeFiles): void {
  for (const { from, to } of plan.folderMoves) moveFolder(files, from, to);
  for (const move of plan.moves) files.move(move);
  for (const folder of plan.folders) files.ensureFolder(folder);
  for (const write of plan.writes) files.write(write);
  for (const removal of plan.removals) files.remove(removal);
}
