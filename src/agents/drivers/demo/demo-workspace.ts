import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';

export interface TouchedFile {
  readonly type: 'FILE' | 'DIRECTORY';
  readonly path: string;
  readonly status: 'CREATED' | 'UPDATED' | 'DELETED';
  readonly hash?: string;
  readonly size_bytes?: number;
}

/** Thrown where a line asks for something outside of the workspace: nothing was touched. */
export class OutsideWorkspace extends Error {}

/** The files that the demo agent may touch. Links are followed, and must not lead out. */
export class DemoWorkspace {
  readonly root: string;
  readonly #touched = new Map<string, TouchedFile>();

  constructor(root: string) {
    this.root = realpathSync(root);
  }

  get touched(): readonly TouchedFile[] {
    return [...this.#touched.values()];
  }

  has(path: string): boolean {
    return existsSync(this.#inside(path));
  }

  write(path: string, text: string): void {
    this.#change(path, (file) => writeFileSync(file, text));
  }

  append(path: string, text: string): void {
    this.#change(path, (file) => appendFileSync(file, text));
  }

  makeFolder(path: string): void {
    const folder = this.#inside(path);
    mkdirSync(folder, { recursive: true });
    this.#touched.set(folder, { type: 'DIRECTORY', path: folder, status: 'CREATED' });
  }

  delete(path: string): void {
    const wanted = resolve(this.root, path);
    if (wanted === this.root) throw new OutsideWorkspace(`${path} is the workspace itself`);
    // A link itself goes, not what it leads to.
    const file = resolve(this.#inside(dirname(wanted)), basename(wanted));
    rmSync(file, { recursive: true, force: true });
    this.#touched.set(file, { type: 'FILE', path: file, status: 'DELETED' });
  }

  #change(path: string, change: (file: string) => void): void {
    const file = this.#inside(path);
    const status = existsSync(file) && this.#touched.get(file)?.status !== 'CREATED' ? 'UPDATED' : 'CREATED';
    mkdirSync(dirname(file), { recursive: true });
    change(file);
    const bytes = readFileSync(file);
    const hash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    this.#touched.set(file, { type: 'FILE', path: file, status, hash, size_bytes: bytes.length });
  }

  #inside(path: string): string {
    const wanted = resolve(this.root, path);
    let there = wanted;
    while (!existsSync(there) && dirname(there) !== there) {
      // Who writes to a link that leads nowhere makes a file there.
      if (lstatSync(there, { throwIfNoEntry: false }))
        throw new OutsideWorkspace(`${path} is a link that leads nowhere`);
      there = dirname(there);
    }
    const real = resolve(realpathSync(there), relative(there, wanted));
    const way = relative(this.root, real);
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
      throw new OutsideWorkspace(`${path} lies outside of the workspace`);
    return real;
  }
}
