import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleResponse, sampleTask } from '../../../test/support/message/aop-samples.ts';
import type { Verdict } from '../codec.ts';
import { byteLength } from '../text-size.ts';
import { decodeAop } from './decode.ts';

const times = <Item>(length: number, make: (at: number) => Item): Item[] => Array.from({ length }, (_, at) => make(at));
const phase = (at: number, checkpoints = 0) => ({
  phase_id: `p${at}`,
  phase_order: at,
  label: 'l',
  objective: 'o',
  checkpoints: times(checkpoints, (each) => ({ checkpoint_id: `c${each}`, description: 'd' })),
});

/** Each row of AOP §4: a message with so many of what is counted. */
const SOFT: [row: string, max: number, path: string, make: (size: number) => unknown][] = [
  ['objective', 40_000, '/task/objective', (size) => sampleTask({ objective: 'a'.repeat(size) })],
  [
    'objective of characters of four bytes',
    40_000,
    '/task/objective',
    (size) => sampleTask({ objective: '😀'.repeat(size) }),
  ],
  ['phases', 10, '/phases', (size) => ({ ...sampleTask(), phases: times(size, phase) })],
  [
    'checkpoints of a phase',
    20,
    '/phases/1/checkpoints',
    (size) => ({ ...sampleTask(), phases: [phase(1, 20), phase(2, size)] }),
  ],
  [
    'actions',
    200,
    '/execution_summary/actions',
    (size) => ({ ...sampleResponse(), execution_summary: { summary: 's', actions: times(size, String) } }),
  ],
];

const HARD: [row: string, max: number, path: string, make: (size: number) => unknown][] = [
  ['inputs', 100, '/task/inputs', (size) => sampleTask({ inputs: times(size, () => ({ type: 'FILE' })) })],
  [
    'expected outputs',
    50,
    '/task/expected_outputs',
    (size) => sampleTask({ expected_outputs: times(size, () => ({ type: 'FILE', description: 'd' })) }),
  ],
];

const BYTES: [row: string, max: number, make: (content: string) => unknown][] = [
  ['TASK', 204_800, (content) => sampleTask({ inputs: [{ type: 'TEXT', content }] })],
  [
    'RESPONSE',
    512_000,
    (content) => ({ ...sampleResponse(), task_status: { state: 'FAILED', final_signal: 'FAILURE', message: content } }),
  ],
];

function decodeMessage(message: unknown): Verdict<unknown> {
  return decodeAop(JSON.stringify(message));
}

/** A message of exactly so many bytes, made of characters of the given kind. */
function ofBytes(make: (content: string) => unknown, bytes: number, character: string): string {
  const room = bytes - byteLength(JSON.stringify(make('')));
  const size = byteLength(character);
  const text = JSON.stringify(make(character.repeat(Math.floor(room / size)) + 'a'.repeat(room % size)));
  assert.equal(byteLength(text), bytes);
  return text;
}

describe('AOP §4, SOFT rows: one more is accepted with a warning', () => {
  for (const [row, max, path, make] of SOFT) {
    it(`${row}: ${max - 1} and ${max} say nothing, ${max + 1} warns`, () => {
      for (const size of [max - 1, max]) assert.deepEqual(decodeMessage(make(size)).warnings, []);
      const verdict = decodeMessage(make(max + 1));
      assert.equal(verdict.verdict, 'accepted');
      assert.deepEqual(
        verdict.warnings.map((warning) => [warning.code, warning.path]),
        [['E_PAYLOAD_SIZE_WARNING', path]],
      );
    });
  }

  it('an objective above 50,000 characters is still accepted with its warning', () => {
    const verdict = decodeMessage(sampleTask({ objective: 'a'.repeat(60_000) }));
    assert.equal(verdict.verdict, 'accepted');
    assert.deepEqual(
      verdict.warnings.map(({ code }) => code),
      ['E_PAYLOAD_SIZE_WARNING'],
    );
  });

  it('several warnings stand in the order of the message', () => {
    const verdict = decodeMessage({
      ...sampleTask({ objective: 'a'.repeat(40_001) }),
      phases: times(11, (at) => phase(at, 21)),
    });
    assert.deepEqual(
      verdict.warnings.slice(0, 3).map(({ path }) => path),
      ['/task/objective', '/phases', '/phases/0/checkpoints'],
    );
    assert.equal(verdict.warnings.length, 13);
  });
});

describe('AOP §4, HARD rows: one more is refused', () => {
  for (const [row, max, path, make] of HARD) {
    it(`${row}: ${max - 1} and ${max} are accepted, ${max + 1} is not`, () => {
      for (const size of [max - 1, max]) assert.equal(decodeMessage(make(size)).verdict, 'accepted');
      const verdict = decodeMessage(make(max + 1));
      assert.ok(verdict.verdict === 'malformed');
      assert.equal(verdict.code, 'E_CONTEXT_OVERFLOW');
      assert.deepEqual(
        verdict.errors.map((error) => error.path),
        [path],
      );
    });
  }

  for (const [row, max, make] of BYTES) {
    for (const character of ['a', 'é', '€', '😀']) {
      it(`${row} of ${max} bytes of ${character}: accepted; one byte more is not`, () => {
        for (const bytes of [max - 1, max])
          assert.equal(decodeAop(ofBytes(make, bytes, character)).verdict, 'accepted');
        const verdict = decodeAop(ofBytes(make, max + 1, character));
        assert.ok(verdict.verdict === 'malformed');
        assert.deepEqual([verdict.kind, verdict.code, verdict.errors[0]?.path], [row, 'E_CONTEXT_OVERFLOW', '']);
      });
    }

    it(`${row}: the line end of a file is not counted`, () => {
      for (const end of ['\n', '\r\n']) assert.equal(decodeAop(ofBytes(make, max, 'a') + end).verdict, 'accepted');
      assert.equal(decodeAop(`${ofBytes(make, max, 'a')}\n\n`).verdict, 'malformed');
    });

    it(`${row}: blanks are bytes as received`, () => {
      assert.equal(decodeAop(` ${ofBytes(make, max, 'a')}`).verdict, 'malformed');
    });
  }

  it('size is judged before the schema', () => {
    const [, max, make] = BYTES[0] as (typeof BYTES)[0];
    const text = ofBytes((content) => ({ ...(make(content) as object), target: 7 }), max + 1, 'a');
    const verdict = decodeAop(text);
    assert.equal(verdict.verdict === 'malformed' && verdict.code, 'E_CONTEXT_OVERFLOW');
    const many = decodeMessage({ ...sampleTask({ inputs: times(101, () => 7 as never) }), target: 7 });
    assert.equal(many.verdict === 'malformed' && many.code, 'E_CONTEXT_OVERFLOW');
  });
});
