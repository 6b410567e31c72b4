import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import type { Checkpoint, ExpectedOutput, Order } from '../order/order.ts';
import { checksOf, type MadePart, resultsOf } from './plan-verification.ts';

const output = (some: Partial<ExpectedOutput>): ExpectedOutput => ({
  type: 'FILE',
  path: 'a.ts',
  description: 'd',
  validation: null,
  snapshot: null,
  ...some,
});
const checkpoint = (some: Partial<Checkpoint>): Checkpoint => ({
  id: 'CP',
  description: 'd',
  artifacts: [],
  validation: null,
  onFailure: 'abort',
  ...some,
});
const compiles = { command: 'tsc', expects: 'exit-code-0' } as const;

/** An order with one of everything, its phases already in their order. */
const ORDER = anOrder({
  outputs: [
    output({ validation: compiles }),
    output({ type: 'DIRECTORY', path: 'docs' }),
    output({ type: 'TEXT', path: null }),
  ],
  phases: [
    {
      id: 'P1',
      position: 1,
      label: 'l',
      objective: 'o',
      checkpoints: [
        checkpoint({ id: 'CP-1', artifacts: [output({ path: 'b.ts', validation: compiles })], validation: compiles }),
      ],
    },
    { id: 'P0', position: 0, label: 'l', objective: 'o', checkpoints: [checkpoint({ id: 'CP-0' })] },
  ],
  checks: ['npm test', 'npm test'],
});

function made(id: string, some: Partial<MadePart> = {}): MadePart {
  const rest = { stdoutTail: '', stderrTail: '', durationMs: 5 };
  return { id, command: 'tsc', result: 'passed', reason: 'exit 0', exitCode: 0, ...rest, ...some };
}

test('outputs are made first, then checkpoints by phase, then checks, each once', () => {
  assert.deepEqual(
    checksOf(ORDER).map(({ id, kind, command, expects, path }) => [id, kind, expects, command ?? path]),
    [
      ['output 1: there', 'output', 'file-exists', 'a.ts'],
      ['output 1', 'output', 'exit-code-0', 'tsc'],
      ['output 2: there', 'output', 'file-exists', 'docs/'],
      ['checkpoint 1, artifact 1: there', 'checkpoint', 'file-exists', 'b.ts'],
      ['checkpoint 1, artifact 1', 'checkpoint', 'exit-code-0', 'tsc'],
      ['checkpoint 1', 'checkpoint', 'exit-code-0', 'tsc'],
      ['check npm test', 'check', 'exit-code-0', 'npm test'],
    ],
  );
});

describe('file-exists', () => {
  const planned = (some: Partial<ExpectedOutput>) =>
    checksOf(anOrder({ outputs: [output(some)] })).map(({ path, command }) => [path, command]);
  const validation = { command: 'other.ts', expects: 'file-exists' } as const;
  test('looks for the path of the output', () => assert.deepEqual(planned({ validation }), [['a.ts', null]]));
  test('of a type of the sender’s own, too', () => {
    assert.deepEqual(planned({ type: 'REPORT', validation }), [['a.ts', null]]);
  });
  test('reads the command as a path where there is none', () => {
    assert.deepEqual(planned({ path: null, validation }), [[null, 'other.ts']]);
  });
  test('of a FILE is about no folder, of a DIRECTORY about nothing else', () => {
    const looked = (type: string) =>
      checksOf(anOrder({ outputs: [output({ type })] })).map(({ path, isFile = false }) => [path, isFile]);
    assert.deepEqual([looked('FILE'), looked('DIRECTORY')], [[['a.ts', true]], [['a.ts/', false]]]);
  });
});

describe('the result of a thing', () => {
  const all = checksOf(ORDER).map(({ id }) => made(id));
  const results = (parts: readonly MadePart[], order: Order = ORDER) =>
    resultsOf(order, parts).map(({ id, kind, result }) => [id, kind, result]);

  test('is one for each, by the name that people know', () => {
    assert.deepEqual(results(all), [
      ['a.ts', 'output', 'passed'],
      ['docs', 'output', 'passed'],
      ['TEXT 3', 'output', 'not-checkable'],
      ['CP-1', 'checkpoint', 'passed'],
      ['CP-0', 'checkpoint', 'not-checkable'],
      ['npm test', 'check', 'passed'],
    ]);
  });

  const first = (...parts: MadePart[]) => resultsOf(ORDER, parts)[0];
  test('that holds tells all that was found', () => {
    assert.deepEqual(
      first(made('output 1: there', { command: null, reason: 'a.ts is there', exitCode: null }), made('output 1')),
      {
        id: 'a.ts',
        kind: 'output',
        result: 'passed',
        message: 'a.ts is there; exit 0',
        why: 'a.ts is there; exit 0',
        command: 'tsc',
        exitCode: 0,
        tail: '',
        durationMs: 10,
      },
    );
  });
  test('that does not hold tells what failed, before what could not be run', () => {
    const missing = made('output 1: there', { command: null, result: 'could-not-run', reason: 'cannot be looked at' });
    const broken = made('output 1', {
      result: 'failed',
      reason: 'exit 2, expected 0',
      exitCode: 2,
      stdoutTail: 'a',
      stderrTail: 'b',
    });
    const found = first(missing, broken);
    assert.equal(found?.result, 'failed');
    assert.equal(found?.message, 'tsc: exit 2, expected 0');
    assert.equal(found?.exitCode, 2);
    assert.equal(found?.tail, 'a\nb');
  });
  test('that was not made could not run', () => {
    assert.equal(first(made('output 1'))?.result, 'could-not-run');
  });
});
