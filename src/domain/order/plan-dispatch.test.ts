import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskName } from '../task/task.ts';
import { type DispatchFacts, planDispatch, type ReadyTask } from './plan-dispatch.ts';

const task = (id: string, agent: string, resource: string | null = null): ReadyTask => ({
  id: id as TaskName,
  agent,
  resource,
});
const facts = (some: Partial<DispatchFacts>): DispatchFacts => ({
  ready: [],
  freeSlots: {},
  freeInAll: 10,
  heldResources: new Set(),
  ...some,
});

const cases: readonly [string, DispatchFacts, readonly string[]][] = [
  ['nothing is ready', facts({}), []],
  [
    'each agent gets as many as it has slots',
    facts({ ready: [task('1', 'a'), task('2', 'a'), task('3', 'b')], freeSlots: { a: 1, b: 1 } }),
    ['1', '3'],
  ],
  [
    'an agent that is not configured waits for a claim',
    facts({ ready: [task('1', 'stranger')], freeSlots: { a: 1 } }),
    [],
  ],
  [
    'slots in all bound it',
    facts({ ready: [task('1', 'a'), task('2', 'a')], freeSlots: { a: 5 }, freeInAll: 1 }),
    ['1'],
  ],
  [
    'an account that was refused is tried by one task, whichever of its agents does it',
    facts({
      ready: [task('1', 'a'), task('2', 'a'), task('3', 'b'), task('4', 'c')],
      freeSlots: { a: 5, b: 5, c: 5 },
      tried: Object.fromEntries(['1', '2', '3'].map((id) => [id, { account: 'x', isRunning: false }])),
    }),
    ['1', '4'],
  ],
  [
    'while it is tried, no other task of the account starts',
    facts({
      ready: [task('1', 'a'), task('4', 'c')],
      freeSlots: { a: 5, c: 5 },
      tried: { 1: { account: 'x', isRunning: true } },
    }),
    ['4'],
  ],
  [
    'a held resource is left alone',
    facts({ ready: [task('1', 'a', 'db'), task('2', 'a')], freeSlots: { a: 5 }, heldResources: new Set(['db']) }),
    ['2'],
  ],
  [
    'two that need one resource do not start together',
    facts({ ready: [task('1', 'a', 'db'), task('2', 'b', 'db')], freeSlots: { a: 1, b: 1 } }),
    ['1'],
  ],
  ['no slot is free', facts({ ready: [task('1', 'a')], freeSlots: { a: 0 } }), []],
];

for (const [name, given, want] of cases) {
  test(`dispatch: ${name}`, () => {
    assert.deepEqual(
      planDispatch(given).map(({ id }) => id),
      want,
    );
  });
}
