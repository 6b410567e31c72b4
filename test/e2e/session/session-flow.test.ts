import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { RunStage } from '../../support/run-stage.ts';
import { type Member, type SessionRun, SessionStage, sessionFor } from '../../support/session/session-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new SessionStage(await RunStage.up('session-flow'));

/** A task whose agent runs a script in its files. */
function does(script: string, more: Partial<Member> = {}): Member {
  return { agent: 'runs-a-script', objective: script, ...more };
}

/** The lines that the script of a task printed. */
function printed(run: SessionRun, task: string): string {
  const response = run.responses.find(({ task_id }) => task_id === task);
  return (response?.execution_summary?.actions ?? []).join('\n');
}

describe('what flows between the tasks of a session', { skip: noBubblewrap, concurrency: 2 }, () => {
  test('CHAIN: each task works on the tree that the one before it left', async () => {
    const repository = stage.stage.repository();
    repository.write('list.txt', 'zero\n');
    repository.commit('list');
    const members = {
      one: does('echo one >> list.txt; printf "\\000\\001" > bytes; chmod +x bytes; mkdir d; echo x > d/old'),
      two: does('cat list.txt; test -x bytes && echo executable; echo two >> list.txt; mv d/old d/new'),
      three: does('cat list.txt; ls d; echo three >> list.txt; rm bytes; ln -s list.txt link'),
    };
    const tasks = sessionFor(repository.root, members, { workflow_pattern: 'CHAIN' });
    const run = await stage.run(tasks, '--worktree');
    assert.deepEqual(run.states, { one: 'COMPLETED', two: 'COMPLETED', three: 'COMPLETED' }, run.stderr);
    assert.match(printed(run, 'two'), /zero\none\nexecutable/);
    assert.match(printed(run, 'three'), /zero\none\ntwo\nnew/);
    assert.equal(readFileSync(join(repository.root, 'list.txt'), 'utf8'), 'zero\n', 'nothing is applied yet');
  });

  test('a task after parallel ones has the work of all, whoever of them made a file first', async () => {
    const repository = stage.stage.repository();
    repository.write('shared.txt', `${Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n')}\n`);
    repository.commit('shared');
    const members = {
      base: does('printf "a\\nb\\nc\\nd\\ne\\nf\\ng\\n" > made.txt'),
      left: does('sed -i "s/^a$/A/" made.txt; sed -i "s/line 1$/left/" shared.txt; echo l > left.txt', {
        after: ['base'],
      }),
      right: does('sed -i "s/^g$/G/" made.txt; sed -i "s/line 18/right/" shared.txt', { after: ['base'] }),
      last: does('cat made.txt shared.txt; ls', { after: ['left', 'right'] }),
    };
    const run = await stage.run(sessionFor(repository.root, members, { workflow_pattern: 'PARALLEL' }), '--worktree');
    assert.equal(run.states.last, 'COMPLETED', run.stderr);
    assert.match(printed(run, 'last'), /A\nb\nc\nd\ne\nf\nG/);
    assert.match(printed(run, 'last'), /left[\s\S]*right/);
    assert.match(printed(run, 'last'), /left\.txt/);
  });

  test('MAP_REDUCE: the last task is given all results, with their files and receipts', async () => {
    const { root } = stage.stage.repository();
    const members = {
      a: does('echo a > a.txt'),
      b: does('echo b > b.txt'),
      sum: { agent: 'shows-prompt' },
    };
    const run = await stage.run(sessionFor(root, members, { workflow_pattern: 'MAP_REDUCE' }), '--worktree');
    const shown = run.responses.find(({ task_id }) => task_id === 'sum')?.execution_summary?.summary ?? '';
    const { results } = JSON.parse(shown).task.extensions.x_baton;
    assert.deepEqual(
      results.map(({ task_id, files, in_files, relation }: Record<string, unknown>) => ({
        task_id,
        files,
        in_files,
        relation,
      })),
      ['a', 'b'].map((name) => ({
        task_id: name,
        files: [{ path: `${name}.txt`, status: 'CREATED' }],
        in_files: true,
        relation: 'dependency',
      })),
    );
    for (const { receipt } of results) {
      const { stdout } = await stage.stage.data.run(['receipt', 'verify', receipt]);
      assert.match(stdout, /signed {3}by this node/, 'its files wait in a worktree, so it is stale here');
    }
  });

  test('HIERARCHICAL: a parent begins after its children and is told what they did', async () => {
    const { root } = stage.stage.repository();
    const members = {
      parent: { agent: 'shows-prompt' },
      child: does('echo c > c.txt', { parent: 'parent' }),
    };
    const run = await stage.run(sessionFor(root, members, { workflow_pattern: 'HIERARCHICAL' }));
    const shown = run.responses.find(({ task_id }) => task_id === 'parent')?.execution_summary?.summary ?? '';
    const [result] = JSON.parse(shown).task.extensions.x_baton.results;
    assert.deepEqual(
      [result.task_id, result.relation, result.files, result.in_files, result.summary],
      ['child', 'child', [{ path: 'c.txt', status: 'CREATED' }], true, 'Ran it.'],
    );
    assert.ok(existsSync(join(root, 'c.txt')));
  });

  test('works that conflict are named, both of them, by the task that would build on them', async () => {
    const repository = stage.stage.repository();
    repository.write('same.txt', 'one\n');
    repository.commit('same');
    const members = {
      a: does('echo a > same.txt'),
      b: does('echo b > same.txt'),
      sum: { agent: 'completes', after: ['a', 'b'] },
    };
    const tasks = sessionFor(repository.root, members, { workflow_pattern: 'PARALLEL' });
    const run = await stage.run(tasks, '--worktree');
    assert.deepEqual(run.states, { a: 'COMPLETED', b: 'COMPLETED', sum: 'FAILED' });
    const { error_details: error } = run.responses.find(({ task_id }) => task_id === 'sum') ?? {};
    assert.equal(error?.error_code, 'E_DEPENDENCY_FAILED');
    assert.match(error?.message ?? '', /b \(TASK-[\d-]+\) and a \(TASK-[\d-]+\).*same\.txt/);
  });
});
