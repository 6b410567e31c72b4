import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sampleTask } from '../../test/support/message/aop-samples.ts';
import { someTerms } from '../../test/support/order/some-terms.ts';
import { decideOrder } from '../domain/order/decide-order.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { SessionReading } from '../domain/session/session-file.ts';
import { readSession } from './session-words.ts';

const TASK = sampleTask();

function task(id: string, changes: { readonly task?: object; readonly session?: object } = {}) {
  return {
    ...TASK,
    session: { ...TASK.session, ...changes.session },
    task: { ...TASK.task, task_id: id, ...changes.task },
  };
}

function read(text: string): SessionReading {
  const found = answer(text);
  assert.ok(!isRefusal(found), JSON.stringify(found));
  return found;
}

function refused(text: string): Refusal {
  const found = answer(text);
  assert.ok(isRefusal(found), 'it was read');
  return found;
}

function answer(text: string) {
  return readSession(text, {
    sessionId: 'ses_made',
    termsFor: () => someTerms(),
  });
}

function idsOf({ members }: SessionReading): string[] {
  return members.map(({ taskId }) => taskId);
}

describe('TASKs', () => {
  const two = [task('a'), task('b')];

  test('a JSON array, NDJSON with blank lines, and one TASK over many lines are read', () => {
    assert.deepEqual(idsOf(read(JSON.stringify(two))), ['a', 'b']);
    assert.deepEqual(idsOf(read(two.map((each) => JSON.stringify(each)).join('\n\n'))), ['a', 'b']);
    assert.deepEqual(idsOf(read(`\n${JSON.stringify(task('a'), null, 2)}`)), ['a']);
  });

  test('the session has the id, the pattern and the smallest limits of its TASKs', () => {
    const session = {
      workflow_pattern: 'CHAIN',
      extensions: { x_max_cost_usd: 5, x_deadline_seconds: 60, x_at_once: 2 },
    };
    const wider = { extensions: { x_max_cost_usd: 9, x_deadline_seconds: 61, x_at_once: 3 } };
    const tasks = [task('a'), task('b', { session }), task('c', { session: wider })];
    const { sessionId, terms, form } = read(JSON.stringify(tasks));
    assert.deepEqual([sessionId, form], [TASK.session.session_id, 'messages']);
    const { pattern, costUsdMax, awakeSecondsMax, atOnceMax } = terms;
    assert.deepEqual(
      { pattern, costUsdMax, awakeSecondsMax, atOnceMax },
      {
        pattern: 'CHAIN',
        costUsdMax: 5,
        awakeSecondsMax: 60,
        atOnceMax: 2,
      },
    );
  });

  test('without a pattern one task is SINGLE and several are PARALLEL', () => {
    const plain = (id: string) => task(id, { session: { workflow_pattern: null } });
    assert.equal(read(JSON.stringify([plain('a')])).terms.pattern, 'SINGLE');
    assert.equal(read(JSON.stringify([plain('a'), plain('b')])).terms.pattern, 'PARALLEL');
  });

  test('x_depends_on that is absent differs from an empty one', () => {
    const named = read(JSON.stringify([task('a'), task('b', { task: { extensions: { x_depends_on: [] } } })]));
    assert.deepEqual(
      named.members.map(({ dependsOn }) => dependsOn),
      [null, []],
    );
  });

  test('the first wrong TASK refuses the whole, with its place in the file', () => {
    const wrong = { ...task('b'), task: { ...task('b').task, category: 'NONSENSE' } };
    for (const text of [JSON.stringify([task('a'), wrong]), `${JSON.stringify(task('a'))}\n${JSON.stringify(wrong)}`]) {
      const { code, path } = refused(text);
      assert.deepEqual([code, path], ['E_SCHEMA_VALIDATION', '/1/task/category']);
    }
  });

  const cases: readonly [string, string, string, string][] = [
    [
      'mixed session ids',
      JSON.stringify([task('a'), task('b', { session: { session_id: 'X' } })]),
      'E_SCHEMA_VALIDATION',
      '/1/session/session_id',
    ],
    [
      'two patterns',
      JSON.stringify([
        task('a', { session: { workflow_pattern: 'CHAIN' } }),
        task('b', { session: { workflow_pattern: 'PARALLEL' } }),
      ]),
      'E_SCHEMA_VALIDATION',
      '/1/session/workflow_pattern',
    ],
    [
      'dependencies that are no list',
      JSON.stringify([task('a', { task: { extensions: { x_depends_on: 'b' } } })]),
      'E_SCHEMA_VALIDATION',
      '/0/task/extensions/x_depends_on',
    ],
    [
      'a limit that is no number',
      JSON.stringify([task('a', { session: { extensions: { x_at_once: 'two' } } })]),
      'E_SCHEMA_VALIDATION',
      '/0/session/extensions/x_at_once',
    ],
    ['something else than a TASK', JSON.stringify([task('a'), { hello: 1 }]), 'E_PARSE_FAILURE', '/1'],
    ['an empty list', '[]', 'E_SCHEMA_VALIDATION', ''],
    ['nothing', ' \n', 'E_PARSE_FAILURE', ''],
    ['broken JSON', '[{"aop_version":', 'E_PARSE_FAILURE', ''],
    ['a repeated key', '[{"a":1,"a":2}]', 'E_PARSE_FAILURE', '/0/a'],
  ];
  for (const [what, text, code, path] of cases) {
    test(`${what}: ${code} at ${path || 'the whole'}`, () => {
      const found = refused(text);
      assert.deepEqual([found.code, found.path], [code, path]);
    });
  }

  test('a broken line of NDJSON is named by its number', () => {
    assert.match(refused(`${JSON.stringify(task('a'))}\n{"aop_version": `).message, /^line 2: /);
  });
});

describe('words', () => {
  test('tasks are a list of words or of fields, or named by their keys', () => {
    const listed = read(
      'name: night\ntasks:\n  - make a\n  - { name: b, words: make b, after: task-1, check: test -f b }\n',
    );
    assert.deepEqual(idsOf(listed), ['task-1', 'b']);
    assert.deepEqual(
      listed.members.map(({ objective, flags, dependsOn }) => [objective, flags?.checks ?? [], dependsOn]),
      [
        ['make a', [], null],
        ['make b', ['test -f b'], ['task-1']],
      ],
    );
    const { sessionId, terms, form } = listed;
    assert.deepEqual([sessionId, terms.name, terms.pattern, form], ['ses_made', 'night', 'PARALLEL', 'words']);
    assert.deepEqual(idsOf(read('tasks:\n  a: make a\n  b: { words: make b }\n')), ['a', 'b']);
  });

  test('the same is read as JSON, which is YAML too', () => {
    const json = JSON.stringify({ tasks: [{ name: 'a', words: 'do it' }, 'and that'] }, null, 2);
    assert.deepEqual(idsOf(read(json)), ['a', 'task-2']);
  });

  test('a task has its own agent, checks and limits, else those of the session', () => {
    const text = `{session: S, pattern: chain, agent: emma, check: npm test, budget: 3, deadline: 2h, at_once: 2,
      tasks: [{name: a, words: x}, {name: b, words: y, agent: bob, check: [x, y], timeout: 15m, retries: 2, budget: 1,
        priority: high, on_failure: abort_session, parent: a}]}`.replace('{session', ' {session');
    const { members, terms, sessionId } = read(`# words\n${text}`);
    assert.deepEqual(
      members.map(({ flags }) => flags),
      [
        { agent: 'emma', checks: ['npm test'] },
        { agent: 'bob', checks: ['x', 'y'], timeoutSeconds: 900, retries: 2, budgetUsd: 1 },
      ],
    );
    assert.deepEqual(
      [sessionId, terms],
      ['S', { name: '', pattern: 'CHAIN', costUsdMax: 3, awakeSecondsMax: 7_200, atOnceMax: 2, checks: ['npm test'] }],
    );
    const order = decideOrder(members[1] ?? assert.fail(), someTerms());
    assert.deepEqual([order.priority, order.parentTaskId, order.policy.onFailure], ['high', 'a', 'abort-session']);
  });

  const cases: readonly [string, string, RegExp, string][] = [
    ['an unknown key', 'tasks: [{words: x, chek: y}]', /did you mean check/, '/tasks/0/chek'],
    ['no tasks', 'name: x', /required/, '/tasks'],
    ['an empty list', 'tasks: []', /at least 1/, '/tasks'],
    ['a task without words', 'tasks: [{name: a}]', /words: is required/, '/tasks/0/words'],
    ['a wrong duration', 'deadline: soon\ntasks: [x]', /a duration like 90, 15m/, '/deadline'],
    ['a wrong pattern', 'pattern: ring\ntasks: [x]', /not one of single, chain/, '/pattern'],
    ['no YAML', 'tasks: [x', /not readable as YAML/, ''],
  ];
  for (const [what, text, message, path] of cases) {
    test(`${what} is refused at ${path || 'the whole'}`, () => {
      const found = refused(text);
      assert.match(found.message, message);
      assert.equal(found.path, path);
    });
  }
});
