import assert from 'node:assert/strict';
import { closeSync, existsSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { linesOf, ROOT, runBaton } from '../../support/run-baton.ts';

// Input that is meant to hurt. One file, so that its tests run one after the other and what they measure is their own.

const MIB = 1024 * 1024;
const PEAK_KIB_MAX = 300 * 1024;
const SECONDS_MAX = 10;
const skip = existsSync('/proc/self/status') ? false : 'the peak of memory is read from /proc';

const scratch = mkdtempSync(join(tmpdir(), 'baton-bad-input-'));
after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 10 }));

interface JudgedLine {
  readonly verdict: string;
  readonly code: string | null;
}

interface Bad {
  readonly name: string;
  readonly args: readonly string[];
  readonly input?: Iterable<Uint8Array>;
  /** Verdict and code of every message in it. */
  readonly want: readonly (readonly [verdict: string, code: string | null])[];
}

/** A file of `bytes` that starts with `start`; the rest is a hole, read as zeros, and takes no room on the disk. */
function sparseFile(name: string, start: string, bytes: number): string {
  const path = join(scratch, name);
  const file = openSync(path, 'w');
  writeSync(file, start);
  ftruncateSync(file, bytes);
  closeSync(file);
  return path;
}

function* repeated(text: string, bytes: number): Generator<Uint8Array> {
  const part = Buffer.from(text.repeat(Math.ceil(MIB / text.length)));
  for (let written = 0; written < bytes; written += part.length) yield part;
}

function* joined(...sources: Iterable<Uint8Array>[]): Generator<Uint8Array> {
  for (const source of sources) yield* source;
}

const TOO_LARGE = ['malformed', 'payload_too_large'] as const;
const NOT_JSON = ['malformed', 'invalid_json'] as const;
const DEEP = '['.repeat(200_000) + ']'.repeat(200_000);

const CASES: readonly Bad[] = [
  {
    name: '100 MB of JSON',
    args: ['-'],
    input: joined([Buffer.from('{"aop_version":"2.0.2-C","task":"')], repeated('a', 100 * MIB), [Buffer.from('"}')]),
    want: [TOO_LARGE],
  },
  {
    name: '100 MB of JSON, read as AOP',
    args: ['--as', 'aop', sparseFile('large.json', '{"aop_version":"2.0.2-C"', 100 * MIB)],
    want: [['malformed', 'E_CONTEXT_OVERFLOW']],
  },
  { name: '100 MB of [', args: ['-'], input: repeated('[', 100 * MIB), want: [TOO_LARGE] },
  { name: '15 MB of [', args: ['-'], input: repeated('[', 15 * MIB), want: [NOT_JSON] },
  { name: '100 MB of zeros', args: [sparseFile('zeros.json', '', 100 * MIB)], want: [TOO_LARGE] },
  { name: '100 MB of zeros as lines', args: [sparseFile('zeros.ndjson', '', 100 * MIB)], want: [TOO_LARGE] },
  {
    name: 'a line of 1 GB after a short one',
    args: [sparseFile('line.ndjson', '{"aop_version":"2.0.2-C"}\n{"task":"', 1024 * MIB)],
    want: [['malformed', 'E_SCHEMA_VALIDATION'], TOO_LARGE],
  },
  {
    name: 'a line of 1 GB through a pipe, and a short one after it',
    args: ['--lines', '-'],
    input: joined(repeated('x', 1024 * MIB), [Buffer.from('\n{"turn_index":')]),
    want: [TOO_LARGE, NOT_JSON],
  },
  { name: '15 MB that are no UTF-8', args: ['-'], input: repeated('\xff', 15 * MIB).map(latin), want: [NOT_JSON] },
  { name: 'nesting of 200,000', args: ['-'], input: [Buffer.from(DEEP)], want: [NOT_JSON] },
  {
    name: 'nesting of 200,000 in an AOP message',
    args: ['--as', 'aop', '-'],
    input: [Buffer.from(`{"aop_version":"2.0.2-C","task":${DEEP}}`)],
    want: [['malformed', 'E_PARSE_FAILURE']],
  },
  {
    name: '5 million empty lists',
    args: ['-'],
    input: joined([Buffer.from('[')], repeated('[],', 15 * MIB), [Buffer.from('[]]')]),
    want: [['foreign', null]],
  },
  {
    name: '5 million empty lists in an object',
    args: ['-'],
    input: joined([Buffer.from('{"a":[')], repeated('[],', 15 * MIB), [Buffer.from('[]]}')]),
    want: [['foreign', null]],
  },
  {
    name: '7 million quotes in a string',
    args: ['-'],
    input: joined([Buffer.from('{"')], repeated('\\"', 14 * MIB)),
    want: [NOT_JSON],
  },
];

function latin(part: Uint8Array): Uint8Array {
  return part.map(() => 0xff);
}

for (const { name, args, input, want } of CASES) {
  test(`bounded time and memory: ${name}`, { skip }, async (context) => {
    const startedAt = performance.now();
    const run = await runBaton(['check', '--json', ...args], {
      ...(input && { input }),
      environment: { NODE_OPTIONS: `--import=file://${ROOT}/test/fixtures/report-peak-memory.mjs` },
    });
    const seconds = (performance.now() - startedAt) / 1000;
    const got = linesOf<JudgedLine>(run).map(({ verdict, code }) => [verdict, code]);
    assert.deepEqual([run.status, got, run.stderr], [2, want, '']);
    const peakKib = Number(run.extra.trim().split('\n').at(-1));
    context.diagnostic(`${Math.round(peakKib / 1024)} MB, ${seconds.toFixed(1)} s`);
    assert.ok(peakKib > 0 && peakKib < PEAK_KIB_MAX, `${run.extra} KiB`);
    assert.ok(seconds < SECONDS_MAX, `${seconds} s`);
  });
}
