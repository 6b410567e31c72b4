import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type GraphTask, planGraph } from './session-graph.ts';
import type { SessionPattern } from './session-terms.ts';

function task(id: string, after: readonly string[] | null = null, parent: string | null = null): GraphTask {
  return { id, after, parent };
}

/** The tasks that each task waits for; the code, place and message of a refusal. */
function graph(pattern: SessionPattern, ...tasks: GraphTask[]) {
  const found = planGraph(pattern, tasks);
  if (found.kind === 'graph') return Object.fromEntries(tasks.map(({ id }, at) => [id, found.after[at]]));
  return [found.refusal.code, found.at, found.refusal.message];
}

describe('the pattern decides where a task does not name what it waits for', () => {
  const three = [task('a'), task('b'), task('c')];
  const cases: readonly [SessionPattern, GraphTask[], object][] = [
    ['CHAIN', three, { a: [], b: ['a'], c: ['b'] }],
    ['PARALLEL', three, { a: [], b: [], c: [] }],
    ['MAP_REDUCE', three, { a: [], b: [], c: ['a', 'b'] }],
    ['SINGLE', [task('a')], { a: [] }],
    ['HIERARCHICAL', [task('p'), task('x', null, 'p'), task('y', null, 'p')], { p: ['x', 'y'], x: [], y: [] }],
    ['CHAIN', [task('a'), task('b', []), task('c')], { a: [], b: [], c: ['b'] }],
    ['CHAIN', [task('a'), task('b'), task('c', ['a'])], { a: [], b: ['a'], c: ['a'] }],
    ['MAP_REDUCE', [task('a'), task('b'), task('c', ['a'])], { a: [], b: [], c: ['a'] }],
    ['HIERARCHICAL', [task('p', ['z']), task('x', null, 'p'), task('z')], { p: ['z', 'x'], x: [], z: [] }],
    ['PARALLEL', [task('a', ['b', 'b', 'c']), task('b'), task('c')], { a: ['b', 'c'], b: [], c: [] }],
  ];
  for (const [pattern, tasks, wanted] of cases) {
    test(`${pattern} of ${tasks.map(({ id, after }) => (after ? `${id} after ${after.join(' ') || 'none'}` : id)).join(', ')}`, () => {
      assert.deepEqual(graph(pattern, ...tasks), wanted);
    });
  }
});

test('a task may be named before it appears, and the pattern gives way where it would close a circle', () => {
  assert.deepEqual(graph('CHAIN', task('c', ['b']), task('b', ['a']), task('a')), { c: ['b'], b: ['a'], a: [] });
  assert.deepEqual(graph('MAP_REDUCE', task('a', ['c']), task('b'), task('c')), { a: ['c'], b: [], c: ['b'] });
  assert.deepEqual(graph('HIERARCHICAL', task('p'), task('x', ['p'], 'p')), { p: [], x: ['p'] });
});

test('a circle of named dependencies is refused at its first task, with the way around', () => {
  const found = graph('PARALLEL', task('z'), task('b', ['c']), task('c', ['z', 'a']), task('a', ['b']));
  assert.deepEqual(found, ['E_SCHEMA_VALIDATION', 1, 'these tasks wait for each other: b → c → a → b']);
});

test('two tasks of one name, an unknown or own dependency, an unknown parent and a second task of SINGLE are refused', () => {
  const code = 'E_SCHEMA_VALIDATION';
  assert.deepEqual(graph('PARALLEL', task('a'), task('b'), task('a')), [
    code,
    2,
    'two tasks of this file have the name a',
  ]);
  assert.deepEqual(graph('PARALLEL', task('a', ['x'])), [code, 0, 'x is no task of this session']);
  assert.deepEqual(graph('PARALLEL', task('a', ['a'])), [code, 0, 'a cannot wait for itself']);
  assert.deepEqual(graph('PARALLEL', task('a', [], 'x')), [code, 0, 'x, the parent of a, is no task of this session']);
  assert.deepEqual(Object.values(graph('SINGLE', task('a'), task('b')))[0], code);
});

test('a parent is one level above; the fourth level below the root is refused, and so is a task among its own parents', () => {
  const levels = ['a', 'b', 'c', 'd'].map((id, at) => task(id, [], at === 0 ? null : ('abc'[at - 1] ?? null)));
  const found = planGraph('PARALLEL', levels.toReversed());
  assert.deepEqual(found.kind === 'graph' && found.depths, [3, 2, 1, 0]);
  const deeper = graph('PARALLEL', ...levels, task('e', [], 'd'));
  assert.deepEqual(deeper, ['E_MAX_DEPTH_EXCEEDED', 4, 'e was delegated 4 times; at most 3 are allowed']);
  assert.equal(Object.values(graph('PARALLEL', task('a', [], 'b'), task('b', [], 'a')))[0], 'E_SCHEMA_VALIDATION');
});

test('tasks that the session has already count as known, with their depth', () => {
  const known = (id: string) => (id === 'old' ? { depth: 2 } : null);
  const found = planGraph('PARALLEL', [task('a', ['old'], 'old'), task('b', [], 'a')], known);
  assert.equal(found.kind, 'refused-task');
  const one = planGraph('PARALLEL', [task('a', ['old'], 'old')], known);
  assert.deepEqual(one.kind === 'graph' && [one.after, one.depths], [[['old']], [3]]);
});

test('a graph of 10,000 tasks of any pattern is planned within 200 ms', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => task(`t${at}`));
  const named = many.map((each, at) => (at % 3 === 0 ? { ...each, after: at > 50 ? [`t${at - 50}`] : [] } : each));
  for (const pattern of ['CHAIN', 'PARALLEL', 'MAP_REDUCE', 'HIERARCHICAL'] as const) {
    for (const tasks of [many, named, named.toReversed()]) {
      // The time of this process alone: a busy machine does not count.
      const before = process.cpuUsage();
      assert.equal(planGraph(pattern, tasks).kind, 'graph');
      const ms = process.cpuUsage(before).user / 1_000;
      assert.ok(ms < 200, `${pattern}: ${ms} ms`);
    }
  }
});
