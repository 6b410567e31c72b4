import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import type { Repository } from '../../src/domain/work/repository.ts';
import { findRepository } from '../../src/workspace/find-repository.ts';
import { type ShadowPlace, storeOf } from '../../src/workspace/shadow/private-repository.ts';

const scratch = mkdtempSync(join(tmpdir(), 'baton workspace ü '));
after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 10 }));
let made = 0;

/** A folder of its own, with a blank and a letter of two bytes in its path. */
export function testFolder(): string {
  const folder = join(scratch, `${++made}`);
  mkdirSync(folder);
  return folder;
}

/** A real repository with real files, and a data folder beside it. */
export class TestRepository {
  readonly root: string;
  readonly dataFolder: string;

  constructor({ isEmpty = false, objectFormat = 'sha1' } = {}) {
    const folder = testFolder();
    this.root = join(folder, 'repo');
    this.dataFolder = join(folder, 'data');
    for (const made of [this.root, this.dataFolder]) mkdirSync(made);
    this.git('init', '-q', '-b', 'main', `--object-format=${objectFormat}`);
    for (const setting of ['name', 'email']) this.git('config', `user.${setting}`, 'test@example');
    if (isEmpty) return;
    this.write('readme.md', 'one\ntwo\nthree\n');
    this.commit('first');
  }

  get repository(): Repository {
    const found = findRepository(this.root);
    if (!found) throw new Error('no repository');
    return found;
  }

  get place(): ShadowPlace {
    const { root, dataFolder } = this;
    return { root, repository: this.repository, dataFolder, keptFolder: join(dataFolder, 'workspaces') };
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  }

  /** The user's git, with the objects of Baton's store beside those of the repository. */
  gitWithShadows(...args: string[]): string {
    const env = { ...process.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(storeOf(this.place).objects) };
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8', stdio: [...stdio], env }).trim();
  }

  write(path: string, content: string | Buffer, mode?: number): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, mode === undefined ? {} : { mode });
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  commit(message: string): string {
    this.git('add', '-A');
    this.git('commit', '-q', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  /** All that is the person's own: files, index, branches, stashes and logs, byte for byte; objects aside. */
  fingerprint(): Record<string, string> {
    return { ...filesBelow(this.root, ''), status: this.git('--no-optional-locks', 'status', '--porcelain', '-z') };
  }

  /** The files of the work tree alone. */
  files(): Record<string, string> {
    return filesBelow(this.root, '', /(^|\/)\.git$/);
  }
}

const NOT_THEIRS = /^\.git\/(objects|gc\.pid)/;

/** Files and links of a folder, with mode and hash. */
export function filesBelow(root: string, below: string, without = NOT_THEIRS): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(root, below)).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    if (without.test(path)) continue;
    const file = join(root, path);
    const stats = lstatSync(file);
    if (stats.isDirectory()) Object.assign(found, filesBelow(root, path, without));
    else if (stats.isSymbolicLink()) found[path] = `link ${readlinkSync(file)}`;
    else found[path] = `${(stats.mode & 0o777).toString(8)} ${hashOf(readFileSync(file))}`;
  }
  return found;
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
