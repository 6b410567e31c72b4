import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openBytes, readBounded, readLines } from './files.ts';

const scratch = mkdtempSync(join(tmpdir(), 'baton-files-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** One buffer, filled anew for every chunk, as openBytes does it. */
function* chunked(text: string, bytes: number): Generator<Buffer> {
  const whole = Buffer.from(text);
  const chunk = Buffer.alloc(bytes);
  for (let at = 0; at < whole.length; at += bytes) yield chunk.subarray(0, whole.copy(chunk, 0, at, at + bytes));
}

async function linesOf(text: string, chunkBytes: number, bytesMax = 100): Promise<(readonly [number, string])[]> {
  const lines: (readonly [number, string])[] = [];
  for await (const { number, bytes } of readLines(chunked(text, chunkBytes), bytesMax)) {
    lines.push([number, bytes.toString()]);
  }
  return lines;
}

const LINES: readonly (readonly [name: string, text: string, lines: readonly (readonly [number, string])[]])[] = [
  ['nothing', '', []],
  ['a line without an end', 'one', [[1, 'one']]],
  [
    'both kinds of line end',
    'one\r\ntwo\n',
    [
      [1, 'one'],
      [2, 'two'],
    ],
  ],
  [
    'blank lines, which count',
    '\n \t\r\none\n\n\ntwo',
    [
      [3, 'one'],
      [6, 'two'],
    ],
  ],
  [
    'characters of several bytes',
    'ä€\n𝄞',
    [
      [1, 'ä€'],
      [2, '𝄞'],
    ],
  ],
  ['a zero byte, which is not blank', '\0\n', [[1, '\0']]],
];

for (const [name, text, lines] of LINES) {
  test(`lines are the same however the bytes are cut: ${name}`, async () => {
    for (const chunkBytes of [1, 2, 3, 7, 1000]) assert.deepEqual(await linesOf(text, chunkBytes), lines);
  });
}

test('of a line that is too long one byte more than allowed is kept, and the next line is whole', async () => {
  for (const chunkBytes of [1, 3, 4, 5, 1000]) {
    const lines = await linesOf('1234\n12345678\nabc', chunkBytes, 4);
    assert.deepEqual(lines, [
      [1, '1234'],
      [2, '12345'],
      [3, 'abc'],
    ]);
  }
});

test('a bounded read stops one byte after the bound and closes its source', async () => {
  let isClosed = false;
  function* endless(): Generator<Buffer> {
    try {
      for (;;) yield Buffer.from('abc');
    } finally {
      isClosed = true;
    }
  }
  assert.equal((await readBounded(endless(), 7)).toString(), 'abcabcab');
  assert.ok(isClosed);
  assert.equal((await readBounded(chunked('short', 2), 7)).toString(), 'short');
});

test('a file is read whole, whatever its size', async () => {
  const path = join(scratch, 'large');
  const text = '0123456789'.repeat(100_000);
  writeFileSync(path, text);
  assert.equal((await readBounded(openBytes(path), text.length)).toString(), text);
  writeFileSync(path, '');
  assert.equal((await readBounded(openBytes(path), 10)).length, 0);
});

test('a file that is missing and a folder fail with the code of the system', async () => {
  await assert.rejects(readBounded(openBytes(join(scratch, 'none')), 1), { code: 'ENOENT' });
  await assert.rejects(readBounded(openBytes(scratch), 1), { code: 'EISDIR' });
});
