import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { PROCESS_LINE_BYTES_MAX, PROCESS_LINE_HEAD_BYTES } from '../../domain/process-limits.ts';
import type { OutputLine } from '../sandbox/sandbox.ts';
import { readOutput } from './output-lines.ts';
import { MASK } from './secret-mask.ts';

const SECRET = 'hunter2-and-more';

async function linesOf(chunks: readonly (string | Buffer)[], secrets: readonly string[] = []): Promise<OutputLine[]> {
  const lines: OutputLine[] = [];
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const onLine = (line: OutputLine) => void lines.push(line);
  const output = readOutput({ stdout, stderr }, { secrets, onLine }, (error) => assert.fail(String(error)));
  stderr.end();
  for (const chunk of chunks) stdout.write(chunk);
  stdout.end();
  await output.closed;
  output.end();
  return lines;
}

async function textsOf(chunks: readonly (string | Buffer)[], secrets: readonly string[] = []): Promise<string[]> {
  return (await linesOf(chunks, secrets)).map(({ text }) => text);
}

test('a secret that is split over chunks at any place is masked', async () => {
  const text = `a ${SECRET} b\n`;
  for (let first = 1; first < text.length; first += 1) {
    for (let second = first; second < text.length; second += 3) {
      const chunks = [text.slice(0, first), text.slice(first, second), text.slice(second)];
      assert.deepEqual(await textsOf(chunks, [SECRET]), [`a ${MASK} b`]);
    }
  }
});

test('a character that is split over chunks is one character, and half a one is told as such', async () => {
  const bytes = Buffer.from('é€😀\n');
  for (let at = 1; at < bytes.length; at += 1) {
    assert.deepEqual(await textsOf([bytes.subarray(0, at), bytes.subarray(at)]), ['é€😀']);
  }
  assert.deepEqual(await textsOf([Buffer.from([0x68, 0xc3, 0x0a, 0xf0, 0x9f])]), ['h\ufffd', '\ufffd']);
});

test('bytes that are no text are told as such, and what stands around them is told as it is', async () => {
  const noise = Buffer.from([0, 1, 255, 254, 10]);
  assert.deepEqual(await textsOf(['{"a":1}\r\n', noise, '{"b":2}']), ['{"a":1}', '\0\u0001\ufffd\ufffd', '{"b":2}']);
});

test('a line that is too long is cut, says how long it was, and the next one is whole', async () => {
  const chunks = Array.from({ length: 17 }, () => Buffer.alloc(1 << 20, 'x'));
  const lines = await linesOf([...chunks, '\nnext\n']);
  assert.deepEqual(
    lines.map(({ isTruncated }) => isTruncated),
    [true, false],
  );
  assert.equal(lines[0]?.text, `${'x'.repeat(PROCESS_LINE_HEAD_BYTES)} [truncated: ${17 << 20} bytes]`);
  assert.equal(lines[1]?.text, 'next');
});

test('a line as long as may be is whole', async () => {
  const [line] = await linesOf([Buffer.alloc(PROCESS_LINE_BYTES_MAX, 'x'), '\n']);
  assert.ok(line && !line.isTruncated && line.text.length === PROCESS_LINE_BYTES_MAX);
});

test('a secret across the place where a long line is cut leaves no part of itself', async () => {
  for (const before of [0, 1, 8, SECRET.length - 1, SECRET.length]) {
    const head = 'x'.repeat(PROCESS_LINE_HEAD_BYTES - before) + SECRET;
    const [line] = await linesOf([head, Buffer.alloc(PROCESS_LINE_BYTES_MAX, 'y'), '\n'], [SECRET]);
    assert.ok(line?.isTruncated && !/hunt/.test(line.text), `${before}: ${line?.text.slice(-60)}`);
  }
});

test('no more is read while the reader is busy', async () => {
  const stdout = new PassThrough({ highWaterMark: 1 });
  const stderr = new PassThrough();
  const waiting: (() => void)[] = [];
  const taken: string[] = [];
  const onLine = ({ text }: OutputLine) => {
    taken.push(text);
    return new Promise<void>((resolve) => waiting.push(resolve));
  };
  const output = readOutput({ stdout, stderr }, { secrets: [], onLine }, (error) => assert.fail(String(error)));
  for (const text of ['1\n', '2\n', '3\n']) stdout.write(text);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  assert.deepEqual(taken, ['1']);
  waiting.shift()?.();
  await turn();
  assert.deepEqual(taken, ['1', '2']);
  output.drain();
  await turn();
  assert.deepEqual(taken, ['1', '2', '3']);
  output.end();
});

test('a busy reader that fails is told, once', async () => {
  const faults: unknown[] = [];
  const stdout = new PassThrough();
  const onLine = () => Promise.reject(new Error('no room'));
  const output = readOutput({ stdout, stderr: new PassThrough() }, { secrets: [], onLine }, (error) =>
    faults.push(error),
  );
  stdout.write('x\n');
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(String(faults[0]), /no room/);
  output.end();
});
