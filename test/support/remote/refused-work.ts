import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { unpackWork } from '../../../src/remote/parcel/unpack-work.ts';
import { testFolder } from '../test-repository.ts';
import type { MemoryBlobs } from './memory-blobs.ts';

const BYTES_MAX = 8 * 1_024 * 1_024;

/** Unpacks a parcel as the work that another node sends, at most 8 MiB. */
export function unpack(
  parcel: unknown,
  blobs: MemoryBlobs,
  more: { readonly dataFolder?: string; readonly from?: string; readonly name?: string } = {},
) {
  const { dataFolder = testFolder(), from = 'mallory', name = 'evt' } = more;
  return unpackWork({ dataFolder, parcel, from, name, bytesMax: BYTES_MAX, atMs: 1_770_000_000_000, blobs });
}

/** Refused with a reason, and nothing of it is in the store or anywhere else. */
export async function assertRefused(parcel: unknown, blobs: MemoryBlobs, reason: RegExp): Promise<void> {
  const folder = testFolder();
  const dataFolder = join(folder, 'data');
  mkdirSync(dataFolder);
  writeFileSync(join(folder, 'beside'), 'mine');
  const answer = await unpack(parcel, blobs, { dataFolder });
  assert.ok(isRefusal(answer), JSON.stringify(answer));
  assert.match(`${answer.message} ${answer.details?.join(' ') ?? ''}`, reason);
  const work = join(dataFolder, 'travel/work');
  assert.deepEqual(existsSync(work) ? readdirSync(work) : [], []);
  const stores = join(dataFolder, 'travel/stores');
  for (const store of existsSync(stores) ? readdirSync(stores) : []) {
    assert.deepEqual(readdirSync(join(stores, store, 'objects/pack')), []);
    assert.deepEqual(readdirSync(join(stores, store, 'commits')), []);
  }
  assert.deepEqual(readdirSync(folder).sort(), ['beside', 'data']);
  assert.equal(readFileSync(join(folder, 'beside'), 'utf8'), 'mine');
}
