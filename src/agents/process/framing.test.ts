import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Framing } from './framing.ts';

const BOUNDS = { lineBytesMax: 16, headBytes: 4 };

function framesOf(chunks: Iterable<Buffer>): [text: string, lineBytes: number][] {
  const frames: [string, number][] = [];
  const framing = new Framing(BOUNDS, ({ bytes, lineBytes }) => frames.push([bytes.toString('latin1'), lineBytes]));
  for (const chunk of chunks) framing.push(chunk);
  framing.end();
  return frames;
}

function* inPieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const TEXTS: readonly (readonly [why: string, text: string, frames: [string, number][]])[] = [
  ['nothing', '', []],
  ['one line', 'abc\n', [['abc', 3]]],
  ['no line end', 'abc', [['abc', 3]]],
  [
    'empty lines count',
    '\n\na\n',
    [
      ['', 0],
      ['', 0],
      ['a', 1],
    ],
  ],
  [
    'a return is left to the reader',
    'a\r\nb\r\n',
    [
      ['a\r', 2],
      ['b\r', 2],
    ],
  ],
  [
    'NUL and bytes that are no text',
    '\0\xff\n\xc3',
    [
      ['\0\xff', 2],
      ['\xc3', 1],
    ],
  ],
  [
    'exactly as long as is kept',
    '0123456789abcdef\n.',
    [
      ['0123456789abcdef', 16],
      ['.', 1],
    ],
  ],
  [
    'one too long',
    '0123456789abcdefg\n.',
    [
      ['0123', 17],
      ['.', 1],
    ],
  ],
  [
    'much too long, then short',
    `${'x'.repeat(100)}\nok\n`,
    [
      ['xxxx', 100],
      ['ok', 2],
    ],
  ],
  ['too long without an end', 'y'.repeat(50), [['yyyy', 50]]],
];

for (const [why, text, frames] of TEXTS) {
  test(`lines are the same however they are chunked: ${why}`, () => {
    const bytes = Buffer.from(text, 'latin1');
    for (const size of [1, 2, 3, 5, 7, 1_000]) assert.deepEqual(framesOf(inPieces(bytes, size)), frames, `by ${size}`);
  });
}

test('a line that is much too long costs no more than one that is not', () => {
  const chunk = Buffer.alloc(65_536, 'x');
  const framing = new Framing({ lineBytesMax: 1 << 20, headBytes: 1 << 10 }, () => {});
  const before = process.memoryUsage().arrayBuffers;
  for (let times = 0; times < 4_096; times += 1) framing.push(chunk);
  assert.ok(process.memoryUsage().arrayBuffers - before < 4 << 20);
});
