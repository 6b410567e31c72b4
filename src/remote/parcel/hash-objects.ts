import { createHash } from 'node:crypto';
import { MIB } from '../../domain/limits.ts';
import { type GitPlace, git } from '../../workspace/git.ts';

export interface HashedObject {
  readonly sha256: string;
  readonly bytes: number;
}

interface SizedObject {
  readonly object: string;
  readonly bytes: number;
}

const BATCH_BYTES_MAX = 64 * MIB;
/** More than the line that git prints before each object. */
const LINE_BYTES_MAX = 200;

/** The sizes and SHA-256 of files by the names of their objects, a bounded part of them at a time. */
export async function hashObjects(
  place: GitPlace,
  objects: readonly string[],
): Promise<ReadonlyMap<string, HashedObject>> {
  const hashes = new Map<string, HashedObject>();
  for (const batch of batchesOf(await sizesOf(place, [...new Set(objects)]))) {
    const outputBytesMax = batch.reduce((sum, { bytes }) => sum + bytes + LINE_BYTES_MAX, 0);
    const { stdout } = await git(place, { args: ['cat-file', '--batch'], input: linesOf(batch), outputBytesMax });
    let at = 0;
    for (const { object, bytes } of batch) {
      const from = stdout.indexOf(0x0a, at) + 1;
      const sha256 = createHash('sha256')
        .update(stdout.subarray(from, from + bytes))
        .digest('hex');
      hashes.set(object, { sha256, bytes });
      at = from + bytes + 1;
    }
  }
  return hashes;
}

/** The sizes of the files among them. */
async function sizesOf(place: GitPlace, objects: readonly string[]): Promise<readonly SizedObject[]> {
  const format = '%(objectname) %(objecttype) %(objectsize)';
  const input = linesOf(objects.map((object) => ({ object })));
  const { stdout } = await git(place, { args: ['cat-file', `--batch-check=${format}`], input });
  return stdout
    .toString('latin1')
    .split('\n')
    .flatMap((line) => {
      const [object = '', type, size] = line.split(' ');
      return type === 'blob' ? [{ object, bytes: Number(size) }] : [];
    });
}

function linesOf(objects: readonly Pick<SizedObject, 'object'>[]): Buffer {
  return Buffer.from(objects.map(({ object }) => `${object}\n`).join(''));
}

function* batchesOf(objects: readonly SizedObject[]): Generator<readonly SizedObject[]> {
  let batch: SizedObject[] = [];
  let size = 0;
  for (const object of objects) {
    if (batch.length > 0 && size + object.bytes > BATCH_BYTES_MAX) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(object);
    size += object.bytes;
  }
  if (batch.length > 0) yield batch;
}
