import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Parcel } from '../../../src/remote/parcel/parcel.ts';
import { TestRepository } from '../test-repository.ts';
import type { MemoryBlobs } from './memory-blobs.ts';

const BLOB_BYTES = 4 * 1_024 * 1_024;

/** A repository for objects as no git command would make them, and parcels of them. */
export class Forge extends TestRepository {
  /** Any object, whether it makes sense or not. */
  object(type: string, content: string | Buffer): string {
    const args = ['hash-object', '-t', type, '-w', '--literally', '--stdin'];
    return execFileSync('git', args, { cwd: this.root, input: content, encoding: 'utf8' }).trim();
  }

  blob(content: string | Buffer): string {
    return this.object('blob', content);
  }

  /** Entries as `[mode, name, object]`, in the order given. */
  tree(...entries: readonly (readonly [mode: string, name: string, object: string])[]): string {
    const parts = entries.map(([mode, name, object]) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(object, 'hex')]),
    );
    return this.object('tree', Buffer.concat(parts));
  }

  commitOf(tree: string, ...parents: readonly string[]): string {
    const by = 'x <x@x> 1770000000 +0000';
    const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${by}`, `committer ${by}`];
    return this.object('commit', `${lines.join('\n')}\n\nforged\n`);
  }

  /** The commit that goes beside the files. */
  beside(meta: object = {}, ...more: readonly (readonly [mode: string, name: string, object: string])[]): string {
    const whole = { version: 1, folder: '', modes: {}, emptyFolders: [], exclude: '', lineEnds: {}, identity: null };
    return this.commitOf(this.tree(...more, ['100644', 'meta.json', this.blob(JSON.stringify({ ...whole, ...meta }))]));
  }

  /** A parcel with everything that these commits name, and with further objects. */
  parcel(blobs: MemoryBlobs, fields: Partial<Parcel>, more: readonly string[] = []): Parcel {
    const { baseCommit = null, state = '', beside = this.beside() } = fields;
    const tips = [state, beside, ...(baseCommit === null ? [] : [baseCommit])];
    const listed = tips.flatMap((tip) => this.listed(tip));
    const names = [...new Set([...listed, ...more])];
    return {
      ...this.sent(blobs, this.pack(names)),
      ...fields,
      beside,
      unpackedBytes: fields.unpackedBytes ?? this.sizeOf(names),
    };
  }

  /** A commit and its objects; git stops at a folder that makes no sense. */
  listed(commit: string): readonly string[] {
    const args = ['rev-list', '--objects', '--no-object-names', '--no-walk', '--missing=allow-any', commit];
    const { stdout } = spawnSync('git', args, { cwd: this.root, encoding: 'utf8' });
    const tree = spawnSync('git', ['rev-parse', '--verify', '-q', `${commit}^{tree}`], {
      cwd: this.root,
      encoding: 'utf8',
    });
    return [...stdout.split('\n'), tree.stdout.trim()].filter(Boolean);
  }

  sizeOf(names: readonly string[]): number {
    const input = names.map((name) => `${name}\n`).join('');
    const sizes = execFileSync('git', ['cat-file', '--batch-check=%(objectsize)'], {
      cwd: this.root,
      input,
      encoding: 'utf8',
    });
    return sizes.split('\n').reduce((sum, size) => sum + Number(size), 0);
  }

  pack(names: readonly string[], ...flags: readonly string[]): Buffer {
    const folder = mkdtempSync(join(this.dataFolder, 'pack-'));
    const plain = flags.length > 0 ? flags : ['--window=0', '--no-reuse-delta'];
    const input = names.map((name) => `${name}\n`).join('');
    execFileSync('git', ['pack-objects', '-q', ...plain, join(folder, 'pack')], { cwd: this.root, input });
    return readFileSync(join(folder, readdirSync(folder).find((name) => name.endsWith('.pack')) ?? ''));
  }

  /** A parcel around a pack. */
  sent(blobs: MemoryBlobs, pack: Buffer): Parcel {
    const refs = [];
    for (let at = 0; at < pack.length; at += BLOB_BYTES) {
      const bytes = pack.subarray(at, at + BLOB_BYTES);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      blobs.stored.set(sha256, bytes);
      refs.push({ sha256, bytes: bytes.length });
    }
    return {
      ...{
        version: 1,
        kind: 'git',
        holds: 'work',
        about: 'tsk_evil/1',
        repository: 'e'.repeat(64),
        objectFormat: 'sha1',
      },
      ...{ baseCommit: null, state: '', beside: '', needs: [], blobs: refs, bytes: pack.length, unpackedBytes: 0 },
    };
  }
}
