import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SessionLine } from '../../../src/api/session/session-contract.ts';
import { linesOf } from '../../support/run-baton.ts';
import { type AopTask, RunStage } from '../../support/run-stage.ts';
import { type Member, SessionStage, sessionFor } from '../../support/session/session-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new SessionStage(await RunStage.up('session-refused'));
const { root } = stage.stage.repository();
const done: Member = { agent: 'completes' };

/** The first TASK changed by hand. */
function changed(tasks: readonly AopTask[], at: number, change: (task: AopTask) => object): readonly object[] {
  return tasks.map((task, place) => (place === at ? change(task) : task));
}

describe('a session is taken whole or not at all', { skip: noBubblewrap }, () => {
  const three = () => sessionFor(root, { a: done, b: done, c: done });
  const cases: readonly [string, () => unknown, string, string][] = [
    [
      'a duplicate task_id',
      () => changed(three(), 2, (task) => ({ ...task, task: { ...task.task, task_id: 'a' } })),
      'E_SCHEMA_VALIDATION',
      '/2/task/task_id',
    ],
    [
      'a cycle',
      () => sessionFor(root, { x: done, a: { ...done, after: ['b'] }, b: { ...done, after: ['a'] } }),
      'E_SCHEMA_VALIDATION',
      '/1/task/extensions/x_depends_on/0',
    ],
    [
      'a dependency that is not there',
      () => sessionFor(root, { a: done, b: { ...done, after: ['a', 'nobody'] } }),
      'E_SCHEMA_VALIDATION',
      '/1/task/extensions/x_depends_on/1',
    ],
    [
      'a parent that is not there',
      () => sessionFor(root, { a: { ...done, parent: 'nobody' } }),
      'E_SCHEMA_VALIDATION',
      '/0/task/parent_task_id',
    ],
    [
      'mixed session_ids',
      () => changed(three(), 1, (task) => ({ ...task, session: { ...task.session, session_id: 'other' } })),
      'E_SCHEMA_VALIDATION',
      '/1/session/session_id',
    ],
    [
      'a TASK that fails its schema',
      () => changed(three(), 1, (task) => ({ ...task, task: { ...task.task, complexity: 'HUGE' } })),
      'E_SCHEMA_VALIDATION',
      '/1/task/complexity',
    ],
    [
      'an agent that is not there',
      () => sessionFor(root, { a: done, b: { agent: 'ghost' } }),
      'E_AGENT_NOT_FOUND',
      '/1/target/agent_name',
    ],
    [
      'a workspace that is not there',
      () => sessionFor(root, { a: done, b: { ...done, root: '/nowhere/at/all' } }),
      'E_FILE_NOT_FOUND',
      '/1/task/environment/workspace_root',
    ],
    [
      'five levels',
      () =>
        sessionFor(root, {
          a: done,
          b: { ...done, parent: 'a' },
          c: { ...done, parent: 'b' },
          d: { ...done, parent: 'c' },
          e: { ...done, parent: 'd' },
        }),
      'E_MAX_DEPTH_EXCEEDED',
      '/4/task/parent_task_id',
    ],
    [
      'two tasks of SINGLE',
      () => sessionFor(root, { a: done, b: done }, { workflow_pattern: 'SINGLE' }),
      'E_SCHEMA_VALIDATION',
      '/1/session/workflow_pattern',
    ],
    ['words with a wrong key', () => 'tasks: [{words: x, agnt: y}]', 'E_SCHEMA_VALIDATION', '/tasks/0/agnt'],
    [
      'words that wait for nobody',
      () => 'agent: completes\ntasks: [{name: a, words: x, after: b}]',
      'E_SCHEMA_VALIDATION',
      '/tasks/0/after/0',
    ],
    ['an empty file', () => '', 'E_PARSE_FAILURE', ''],
    ['JSON that is cut off', () => '[{"aop_version":"2.0.2-C"', 'E_PARSE_FAILURE', ''],
  ];
  for (const [what, content, code, path] of cases) {
    test(`${what}: ${code}, exit 2, and nothing of it is kept`, async () => {
      const refused = await stage.refused(content(), '--workspace', root);
      assert.deepEqual([refused.exit, refused.code, refused.errors[0]?.path], [2, code, path]);
      assert.ok((refused.errors[0]?.message ?? '').length > 10);
    });
  }

  test('after all of them there is no task and no session', async () => {
    assert.deepEqual(linesOf<SessionLine>(await stage.stage.data.run(['session', 'list', '--json'])), []);
    const tasks = await stage.stage.data.run(['task', 'list', '--all', '--json']);
    assert.deepEqual(linesOf(tasks), []);
  });
});

test('a file that is not there, two files and no file are wrong usage', async () => {
  for (const words of [['/no/such/file.json'], ['a.json', 'b.json'], []]) {
    const run = await stage.stage.data.run(['session', 'run', ...words]);
    assert.equal(run.status, 2);
    assert.match(run.stderr, /^error: .+\ntry: .+/);
  }
});

test('a session that is not there is named, and several candidates are listed', async () => {
  for (const verb of ['show', 'stop', 'continue', 'retry']) {
    const run = await stage.stage.data.run(['session', verb, 'nothing-of-the-kind', '--json']);
    assert.equal(run.status, 2);
    assert.equal(JSON.parse(run.stdout).code, 'session_not_found', verb);
  }
});
