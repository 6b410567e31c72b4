import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { TestRepository, testFolder } from '../../../test/support/test-repository.ts';
import { scanPack } from './scan-pack.ts';

const BOUNDS = { objectsMax: 1_000, bytesMax: 100 * 1_024 * 1_024, nameBytes: 20 };

function packOf(repository: TestRepository, ...flags: readonly string[]): string {
  const folder = testFolder();
  const names = repository.git('rev-list', '--objects', '--no-object-names', '--all');
  execFileSync('git', ['pack-objects', '-q', ...flags, join(folder, 'pack')], { cwd: repository.root, input: names });
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.pack')) ?? '');
}

const NO_DELTAS = ['--window=0', '--no-reuse-delta'];

interface RawEntry {
  readonly kind: number;
  readonly size: number;
  readonly data: Buffer;
}

/** A pack as nobody's git makes it. */
function rawPack(entries: readonly RawEntry[], count = entries.length): string {
  const header = Buffer.alloc(12);
  header.write('PACK');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(count, 8);
  const body = entries.flatMap(({ kind, size, data }) => [sizeHeader(kind, size), data]);
  const bytes = Buffer.concat([header, ...body]);
  const file = join(testFolder(), 'x.pack');
  writeFileSync(file, Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]));
  return file;
}

function sizeHeader(kind: number, size: number): Buffer {
  const bytes = [(kind << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

test('a pack of git without deltas is counted, object by object, large files too', async () => {
  const repository = new TestRepository();
  repository.write('empty', '');
  repository.write('random', randomBytes(20 * 1_024 * 1_024));
  repository.write('zeroes', Buffer.alloc(30 * 1_024 * 1_024));
  repository.commit('files');
  const scanned = await scanPack(packOf(repository, ...NO_DELTAS), BOUNDS);
  const names = repository.git('rev-list', '--objects', '--no-object-names', '--all').split('\n');
  const sizes = names.map((name) => Number(repository.git('cat-file', '-s', name)));
  assert.deepEqual(scanned, { objects: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) });
});

test('deltas are refused, whatever they lead to', async () => {
  const repository = new TestRepository();
  for (const turn of [1, 2, 3]) {
    repository.write('file', `${'the same line\n'.repeat(1_000)}${turn}`);
    repository.commit(`turn ${turn}`);
  }
  assert.match(String(await scanPack(packOf(repository), BOUNDS)), /a delta/);
});

const text = Buffer.from('one file\n');
const PACKS: readonly (readonly [why: string, file: () => string, reason: RegExp])[] = [
  ['says less than it is', () => rawPack([{ kind: 3, size: 1, data: deflateSync(text) }]), /damaged/],
  ['says more than it is', () => rawPack([{ kind: 3, size: 99, data: deflateSync(text) }]), /damaged/],
  ['is no data of zlib', () => rawPack([{ kind: 3, size: 9, data: text }]), /damaged/],
  ['is a tag', () => rawPack([{ kind: 4, size: 9, data: deflateSync(text) }]), /neither a commit/],
  ['has a kind that git does not know', () => rawPack([{ kind: 5, size: 9, data: deflateSync(text) }]), /neither/],
  ['is a delta', () => rawPack([{ kind: 7, size: 9, data: deflateSync(text) }]), /delta/],
  [
    'says that it is a thousand gigabytes',
    () => rawPack([{ kind: 3, size: 2 ** 40, data: deflateSync(text) }]),
    /larger than/,
  ],
  [
    'has a size without an end',
    () => rawPack([{ kind: 3, size: 9, data: Buffer.alloc(30, 255) }].map((one) => ({ ...one, size: 2 ** 52 }))),
    /larger than|neither/,
  ],
  ['is not there', () => rawPack([], 1), /neither|damaged/],
  [
    'comes after the last one',
    () =>
      rawPack(
        [
          { kind: 3, size: 9, data: deflateSync(text) },
          { kind: 3, size: 9, data: deflateSync(text) },
        ],
        1,
      ),
    /more than/,
  ],
];

for (const [why, file, reason] of PACKS) {
  test(`a pack is refused with an object that ${why}`, async () => {
    assert.match(String(await scanPack(file(), BOUNDS)), reason);
  });
}

test('a small pack of a large object is not inflated beyond the bound', async () => {
  const bomb = deflateSync(Buffer.alloc(64 * 1_024 * 1_024));
  assert.ok(bomb.length < 100_000);
  const bounds = { ...BOUNDS, bytesMax: 32 * 1_024 * 1_024 };
  for (const size of [1_024, 24 * 1_024 * 1_024]) {
    assert.match(String(await scanPack(rawPack([{ kind: 3, size, data: bomb }]), bounds)), /damaged/);
  }
  assert.match(String(await scanPack(rawPack([{ kind: 3, size: 64 * 1_024 * 1_024, data: bomb }]), bounds)), /larger/);
  const many = Array.from({ length: 40 }, () => ({
    kind: 3,
    size: 1_024 * 1_024,
    data: deflateSync(Buffer.alloc(1_024 * 1_024)),
  }));
  assert.match(String(await scanPack(rawPack(many), bounds)), /larger/);
});

test('a pack that is cut at any place, or has more objects than are allowed, is refused', async () => {
  const repository = new TestRepository();
  const whole = readFileSync(packOf(repository, ...NO_DELTAS));
  for (let length = 0; length < whole.length; length += 7) {
    const file = join(testFolder(), 'cut.pack');
    writeFileSync(file, whole.subarray(0, length));
    assert.equal(typeof (await scanPack(file, BOUNDS)), 'string', `${length} bytes`);
  }
  assert.match(String(await scanPack(packOf(repository, ...NO_DELTAS), { ...BOUNDS, objectsMax: 2 })), /at most 2/);
});
