import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Blobs } from '../../../src/remote/parcel/parcel.ts';

/** Blobs in a folder, for processes that are killed. */
export class FolderBlobs implements Blobs {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  async has(sha256: string): Promise<boolean> {
    return existsSync(join(this.folder, sha256));
  }

  async put(sha256: string, bytes: Uint8Array): Promise<void> {
    writeFileSync(join(this.folder, `${sha256}.new`), bytes);
    renameSync(join(this.folder, `${sha256}.new`), join(this.folder, sha256));
  }

  async get(sha256: string): Promise<Uint8Array | null> {
    return (await this.has(sha256)) ? readFileSync(join(this.folder, sha256)) : null;
  }
}
