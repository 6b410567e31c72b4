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
import { basename, dirname, extname, isAbsolute, relative, resolve, sep } from 'node:path';

export interface TouchedFile {
  readonly type: 'FILE' | 'DIRECTORY';
  readonly path: string;
  readonly status: 'CREATED' | 'UPDATED' | 'DELETED';
  readonly hash?: string;
  readonly size_bytes?: number;
}

export interface ExpectedFile {
  readonly type: string;
  readonly path: string;
  readonly description: string;
}

/** Thrown for a path outside of the workspace, before anything is touched. */
export class OutsideWorkspace extends Error {}

/** The files that the demo agent may touch. Links are followed, and must not lead out of the workspace. */
export class DemoWorkspace {
  readonly root: string;
  readonly #touched = new Map<string, TouchedFile>();

  constructor(root: string) {
    this.root = realpathSync(root);
  }

  get touched(): readonly TouchedFile[] {
    return [...this.#touched.values()];
  }

  write(path: string, text: string): void {
    this.#change(path, (file) => writeFileSync(file, text));
  }

  append(path: string, text: string): void {
    this.#change(path, (file) => appendFileSync(file, text));
  }

  /** Creates an expected output that is missing, from its description; false where it exists. */
  makeOutput({ type, path, description }: ExpectedFile): boolean {
    if (existsSync(this.#inside(path))) return false;
    if (type === 'DIRECTORY') this.#makeFolder(path);
    else this.write(path, contentFor(path, description));
    return true;
  }

  #makeFolder(path: string): void {
    const folder = this.#inside(path);
    mkdirSync(folder, { recursive: true });
    this.#touched.set(folder, { type: 'DIRECTORY', path: folder, status: 'CREATED' });
  }

  delete(path: string): void {
    const wanted = resolve(this.root, path);
    if (wanted === this.root) throw new OutsideWorkspace(`${path} is the workspace itself`);
    // A link itself is removed, not its target.
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
      // Writing to a dangling link would create its target.
      if (lstatSync(there, { throwIfNoEntry: false })) throw new OutsideWorkspace(`${path} is a dangling link`);
      there = dirname(there);
    }
    const real = resolve(realpathSync(there), relative(there, wanted));
    const way = relative(this.root, real);
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
      throw new OutsideWorkspace(`${path} is outside of the workspace`);
    return real;
  }
}

const NO_MODEL = 'Made by the demo agent. No model was used.';

type Writer = (description: string, path: string) => string;

const slashes: Writer = (description) => `// ${description}\n// ${NO_MODEL}\n`;
const hashes: Writer = (description) => `# ${description}\n# ${NO_MODEL}\n`;
const stars: Writer = (description) => `/* ${description} */\n/* ${NO_MODEL} */\n`;
const module: Writer = (description, path) =>
  `${slashes(description, path)}export const description = ${JSON.stringify(description)};\n`;

/** For each file extension, a small file that the tools of its format accept. */
const WRITERS: Readonly<Record<string, Writer>> = {
  '.md': (description, path) => `# ${titleOf(path)}\n\n${description}\n\n${NO_MODEL}\n`,
  '.json': (description) => `${JSON.stringify({ description, note: NO_MODEL }, null, 2)}\n`,
  '.html': (description, path) =>
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>${escaped(titleOf(path))}</title>\n` +
    `<p>${escaped(description)}</p>\n<!-- ${NO_MODEL} -->\n</html>\n`,
  '.csv': (description) => `description,note\n${quoted(description)},${quoted(NO_MODEL)}\n`,
  '.py': (description, path) => `${hashes(description, path)}DESCRIPTION = ${JSON.stringify(description)}\n`,
  '.sh': (description, path) => `#!/bin/sh\n${hashes(description, path)}exit 0\n`,
  '.css': stars,
  '.c': stars,
  '.h': stars,
  '.go': (description, path) => `${slashes(description, path)}package main\n`,
  '.rs': slashes,
  '.js': module,
  '.mjs': module,
  '.ts': module,
  '.cjs': slashes,
  '.jsx': module,
  '.tsx': module,
  '.yaml': hashes,
  '.yml': hashes,
  '.toml': hashes,
};

function contentFor(path: string, description: string): string {
  const line = description.replace(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  const writer = WRITERS[extname(path).toLowerCase()];
  return writer ? writer(line, path) : `${line}\n\n${NO_MODEL}\n`;
}

function titleOf(path: string): string {
  const words = basename(path, extname(path)).replace(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
