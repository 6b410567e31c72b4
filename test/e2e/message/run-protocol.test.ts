import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type AopTask, output, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('run-protocol');
const agent = (name: string) => ({ provider: 'OTHER', model: name });
stage.configure({
  agents: { old: { ...stage.agent('reads-v1'), ...agent('old'), aop_versions_supported: ['1.x'] } },
});

interface Answer {
  readonly verdict: string;
  readonly code: string | null;
  readonly path: string | null;
  readonly task: string | null;
}

describe('what a TASK and its RESPONSE say', { skip: noBubblewrap, concurrency: 2 }, () => {
  test('a folder does not satisfy a FILE output, nor a file a DIRECTORY output', async () => {
    const { root } = stage.repository();
    const folder = await stage.run(
      taskFor('makes-a-folder', root, { task: { expected_outputs: [output('out.txt')] } }),
    );
    assert.deepEqual([folder.exit, folder.response.task_status.final_signal], [1, 'FAILURE']);
    assert.match(folder.response.task_status.message ?? '', /out\.txt is there, and is no file/);
    const file = taskFor('completes', stage.repository().root, {
      task: { expected_outputs: [output('made'), { type: 'DIRECTORY', path: 'made', description: 'a folder' }] },
    });
    const { exit, response } = await stage.run(file);
    assert.deepEqual([exit, response.task_status.final_signal], [1, 'FAILURE']);
  });

  test('the extensions of its answer are kept, and Baton’s own are not the agent’s', async () => {
    const { response } = await stage.run(taskFor('answers-with-extensions', stage.repository().root));
    const { x_debug_id, x_baton } = response.extensions as { x_debug_id: string; x_baton: { unchecked: boolean } };
    assert.deepEqual([x_debug_id, x_baton.unchecked], ['resp-1', true]);
    assert.deepEqual(response.execution_summary?.extensions, { x_log_ref: 'logs/1.log' });
  });

  test('a git_branch that is not checked out is told, one that is is not', async () => {
    const repository = stage.repository();
    const on = (git_branch: string) => {
      return taskFor('completes', repository.root, {
        task: { environment: { workspace_root: repository.root, git_branch } },
      });
    };
    const branch = repository.git('branch', '--show-current').trim();
    const other = await stage.run(on('feature/new-refactor'));
    const told = (run: typeof other) =>
      run.response.execution_summary?.warnings?.filter((text) => /git_branch/.test(text));
    assert.deepEqual(told(other), [
      `git_branch is feature/new-refactor, but ${branch} is checked out in ${repository.root}: the work is done there`,
    ]);
    assert.deepEqual(told(await stage.run(on(branch))), []);
  });

  test('execution_profile and headless_mode reach the program', async () => {
    const shown = async (target: object) => {
      const { own } = await stage.run(taskFor('shows-environment', stage.repository().root, { target: { ...target } }));
      const { stdout } = await stage.data.run(['logs', own.task]);
      return stdout.match(/BATON_(EXECUTION|HEADLESS)\w+=\w+/g);
    };
    assert.deepEqual(await shown({ execution_profile: 'thorough', capabilities: { headless_mode: false } }), [
      'BATON_EXECUTION_PROFILE=thorough',
      'BATON_HEADLESS_MODE=false',
    ]);
    assert.deepEqual(await shown({}), ['BATON_HEADLESS_MODE=true']);
  });

  test('capabilities.network_access NONE leaves the agent without any network', async () => {
    const hasEndpoint = async (capabilities: object) => {
      const task = taskFor('shows-environment', stage.repository().root, { target: { capabilities } });
      const { own } = await stage.run(task);
      return /^BATON_URL=/m.test((await stage.data.run(['logs', own.task])).stdout);
    };
    assert.equal(await hasEndpoint({ network_access: 'NONE' }), false, 'without a network there is no server');
    assert.equal(await hasEndpoint({ network_access: 'RESTRICTED' }), true);
  });

  test('an alternative that reads v1 alone is announced when its turn comes', async () => {
    const alternative_models = [{ ...agent('old'), fallback_trigger: 'FIRST_ERROR' }];
    const failing = taskFor('crashes', stage.repository().root, { execution_policy: { alternative_models } });
    const { events } = await stage.run(failing);
    const fallbacks = events.filter(({ event }) => event === 'VERSION_FALLBACK');
    assert.deepEqual(
      fallbacks.map(({ reason, task_id }) => [reason, task_id]),
      [['AGENT_LACKS_V2', failing.task.task_id]],
    );
    const unused = taskFor('completes', stage.repository().root, { execution_policy: { alternative_models } });
    assert.deepEqual(
      (await stage.run(unused)).events.filter(({ event }) => event === 'VERSION_FALLBACK'),
      [],
    );
  });

  test('a dependent that was sent while the earlier task ran starts when that ends with PARTIAL_SUCCESS', async () => {
    const repository = stage.repository();
    const first = taskFor('works-until-told', repository.root);
    const earlier = stage.start(first);
    await until(() => existsSync(join(repository.root, 'work.pids')));
    const x_depends_on = [first.task.task_id];
    const later = taskFor('completes', stage.repository().root, {
      task: { expected_outputs: [output('a.txt')], extensions: { x_depends_on } },
    });
    const dependent = stage.start({ ...later, session: first.session });
    await until(async () => (await stage.data.json<{ waiting: readonly object[] }>('status')).waiting.length > 0);
    repository.write('go', '');
    assert.equal((await earlier.answered()).response.task_status.final_signal, 'PARTIAL_SUCCESS');
    assert.equal((await dependent.answered()).exit, 0);
  });
});

/** A run that gives out orders with its token, and the answers that it got. */
async function delegating(orders: (root: string) => readonly AopTask[], constraints: object) {
  const repository = stage.repository();
  const objective = JSON.stringify(orders(repository.root));
  const task = taskFor('delegates', repository.root, {
    task: { objective, constraints, expected_outputs: [output('answers.json')] },
  });
  const run = await stage.run(task);
  const answers = JSON.parse(readFileSync(join(repository.root, 'answers.json'), 'utf8')) as readonly Answer[];
  return { task, run, answers };
}

const below = (root: string, changes: object = {}): AopTask => {
  const task = taskFor('completes', root, { task: { expected_outputs: [output('child.txt')], ...changes } });
  // The agent fills in its own session.
  return { ...task, session: { ...task.session, session_id: undefined as unknown as string } };
};

describe('an agent gives out work with its token', { skip: noBubblewrap }, () => {
  test('with delegation_allowed its order is a child of its own task, one level deeper, and is done', async () => {
    const { run, answers } = await delegating((root) => [below(root)], { delegation_allowed: true });
    assert.deepEqual(
      answers.map(({ verdict, code }) => [verdict, code]),
      [['accepted', null]],
    );
    const id = answers[0]?.task ?? assert.fail('no task');
    await until(async () => ['done', 'blocked'].includes((await stage.task(id)).status));
    const { status, parentId, createdBy, metadata } = await stage.task(id);
    assert.deepEqual([status, parentId, createdBy, metadata.delegationDepth], ['done', run.own.task, 'delegates', 1]);
  });

  test('without it, for another parent, another session and for more than its own rights it may not', async () => {
    const elsewhere = stage.repository().root;
    const { answers: none } = await delegating((root) => [below(root)], {});
    assert.deepEqual(
      none.map(({ code, path }) => [code, path]),
      [['E_PERMISSION_DENIED', '/task/parent_task_id']],
    );
    const { answers } = await delegating(
      (root) => [
        below(root, { parent_task_id: 'T-OTHER' }),
        taskFor('completes', root),
        below(elsewhere),
        below(root, { access: { network: 'FULL' } }),
      ],
      { delegation_allowed: true },
    );
    assert.deepEqual(
      answers.map(({ code, path, task }) => [code, path, task]),
      [
        ['E_PERMISSION_DENIED', '/task/parent_task_id', null],
        ['E_PERMISSION_DENIED', '/task/parent_task_id', null],
        ['E_PERMISSION_DENIED', '/task/environment/workspace_root', null],
        ['E_PERMISSION_DENIED', '/task/access/network', null],
      ],
    );
  });

  test('at depth 3 it hands nothing further down: E_MAX_DEPTH_EXCEEDED', async () => {
    const root = stage.repository().root;
    const session = { ...taskFor('completes', root).session, session_id: 'S-DEEP-TOKEN' };
    const at = (depth: number, name: string, more: object) => {
      const parent_task_id = depth === 0 ? null : `D-${depth - 1}`;
      return { ...taskFor(name, root, { task: { task_id: `D-${depth}`, parent_task_id, ...more } }), session };
    };
    for (const depth of [0, 1, 2]) await stage.run(at(depth, 'completes', {}));
    const objective = JSON.stringify([below(root)]);
    const expected_outputs = [output('answers.json')];
    await stage.run(at(3, 'delegates', { objective, constraints: { delegation_allowed: true }, expected_outputs }));
    const [answer] = JSON.parse(readFileSync(join(root, 'answers.json'), 'utf8')) as readonly Answer[];
    assert.deepEqual([answer?.code, answer?.path], ['E_MAX_DEPTH_EXCEEDED', '/task/parent_task_id']);
  });
});
