import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { AppliedSession } from '../../../src/api/session/session-contract.ts';
import { linesOf } from '../../support/run-baton.ts';
import { output, RunStage } from '../../support/run-stage.ts';
import { type Member, SessionStage, sessionFor } from '../../support/session/session-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = new SessionStage(await RunStage.up('session-apply'));

function makes(name: string, more: Partial<Member> = {}): Member {
  return { agent: 'completes', task: { expected_outputs: [output(`${name}.txt`)] }, ...more };
}

async function apply(session: string, ...flags: string[]): Promise<AppliedSession & { readonly exit: number | null }> {
  const ended = await stage.stage.data.run(['session', 'apply', session, '--json', ...flags]);
  return { ...(linesOf<AppliedSession>(ended)[0] as AppliedSession), exit: ended.status };
}

/** A checked task whose agent runs a script. */
function does(script: string, more: Partial<Member> = {}): Member {
  const task = { expected_outputs: [output('base.txt')], ...more.task };
  return { agent: 'runs-a-script', objective: script, ...more, task };
}

/** Every file with its mode and bytes, as git sees them. */
function treeOf(repository: TestRepository): string {
  repository.git('add', '--all');
  return repository.git('write-tree');
}

describe('session apply', { skip: noBubblewrap }, () => {
  test('merges the worktrees of checked tasks in dependency order, stops at a conflict, and goes on after it', async () => {
    const { root } = stage.stage.repository();
    const tasks = sessionFor(
      root,
      { c: makes('c', { after: ['b'] }), a: makes('a'), b: makes('b', { after: ['a'] }) },
      { workflow_pattern: 'PARALLEL' },
    );
    const run = await stage.run(tasks, '--worktree');
    assert.equal(run.exit, 0, run.stderr);
    assert.ok(!existsSync(join(root, 'a.txt')));
    writeFileSync(join(root, 'b.txt'), 'mine\n');
    const session = run.report.session_id;
    const stopped = await apply(session);
    assert.deepEqual(
      [stopped.exit, stopped.applied.map(({ task_id }) => task_id), stopped.conflict?.task_id],
      [1, ['a'], 'b'],
    );
    assert.equal(readFileSync(join(root, 'b.txt'), 'utf8'), 'mine\n');
    assert.ok(!existsSync(join(root, 'c.txt')));
    rmSync(join(root, 'b.txt'));
    const rest = await apply(session);
    assert.deepEqual([rest.exit, rest.applied.map(({ task_id }) => task_id), rest.conflict], [0, ['b', 'c'], null]);
    for (const name of ['a', 'b', 'c']) assert.ok(existsSync(join(root, `${name}.txt`)), name);
    assert.deepEqual((await apply(session)).applied, []);
  });

  test('the merged files are byte for byte those that git merges', async () => {
    const repository = stage.stage.repository();
    const text = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n');
    repository.write('base.txt', `${text}\n`);
    repository.write('gone.txt', 'gone\n');
    repository.commit('base');
    const scripts = {
      head: 'sed -i "s/^line 2$/head/" base.txt; printf "\\000\\377" > bytes; chmod +x bytes',
      tail: 'sed -i "s/^line 27$/tail/" base.txt; rm gone.txt; ln -s base.txt link; printf "no end" > "odd näme"',
      last: 'sed -i "s/^line 14$/last/" base.txt; cat bytes >> more; git mv base.txt moved.txt; cp moved.txt base.txt',
    };
    const tasks = sessionFor(repository.root, {
      head: does(scripts.head),
      tail: does(scripts.tail),
      last: does(scripts.last, { after: ['head', 'tail'] }),
    });
    const run = await stage.run(tasks, '--worktree', '--check', 'grep -q tail base.txt');
    assert.equal(run.exit, 0, run.stderr);
    for (const name of ['head', 'tail'] as const) {
      repository.git('checkout', '-q', '-b', `by-hand-${name}`, 'main');
      execFileSync('sh', ['-c', scripts[name]], { cwd: repository.root });
      repository.commit(name);
    }
    repository.git('merge', '-q', '--no-edit', 'by-hand-head');
    execFileSync('sh', ['-c', scripts.last], { cwd: repository.root });
    const expected = treeOf(repository);
    repository.commit('by hand');
    repository.git('checkout', '-q', 'main');
    const applied = await apply(run.report.session_id);
    assert.deepEqual([applied.exit, applied.applied.length, applied.checks?.is_passed], [0, 3, true]);
    assert.equal(treeOf(repository), expected);
  });

  test('on a branch all work is one commit, merged byte for byte and checked, and the files stay as they are', async () => {
    const repository = stage.stage.repository();
    const lines = (first: string, last: string) => `${first}\n2\n3\n4\n5\n6\n7\n8\n${last}\n`;
    repository.write('base.txt', lines('1', '9'));
    repository.commit('base');
    const tasks = sessionFor(repository.root, {
      a: does('sed -i "s/^1$/a/" base.txt'),
      b: does('sed -i "s/^9$/b/" base.txt; printf "\\000\\377" > bytes; chmod +x bytes'),
    });
    const run = await stage.run(tasks, '--worktree', '--check', 'test ! -e bytes');
    const applied = await apply(run.report.session_id, '--branch', 'night');
    assert.deepEqual([applied.exit, applied.branch, applied.applied.length], [1, 'night', 2]);
    assert.equal(applied.checks?.is_passed, false, 'together they fail the check of the session');
    assert.equal(repository.git('show', 'night:base.txt'), lines('a', 'b').trimEnd());
    assert.match(repository.git('ls-tree', 'night', 'bytes'), /^100755/);
    assert.match(repository.git('log', '-1', '--format=%B', 'night'), /Baton-Session: SES-/);
    assert.equal(repository.git('status', '--porcelain'), '');
  });

  test('a branch names the work that it leaves out, and show says where the work of each task is', async () => {
    const repository = stage.stage.repository();
    repository.write('base.txt', 'base\n');
    repository.write('same.txt', 'one\n');
    repository.commit('base');
    const tasks = sessionFor(repository.root, {
      a: does('echo a > same.txt'),
      b: does('echo b > same.txt'),
      c: does('true'),
      d: does('echo d > d.txt'),
    });
    const { report } = await stage.run(tasks, '--worktree');
    const places = async () => (await stage.show(report.session_id)).tasks.map(({ work, branch }) => branch ?? work);
    assert.deepEqual(await places(), ['worktree', 'worktree', null, 'worktree']);
    assert.deepEqual((await apply(report.session_id)).elsewhere, []);
    assert.deepEqual(await places(), ['files', 'worktree', null, 'worktree']);
    const branched = await apply(report.session_id, '--branch', 'rest');
    assert.deepEqual([branched.exit, branched.applied.map(({ task_id }) => task_id)], [0, ['b', 'd']]);
    assert.deepEqual(
      branched.elsewhere.map(({ task_id, work }) => [task_id, work]),
      [['a', 'files']],
    );
    assert.deepEqual(await places(), ['files', 'rest', null, 'rest']);
    const again = await stage.stage.data.run(['session', 'apply', report.session_id]);
    assert.match(again.stdout, /b {2}is on the branch rest, not in your files/);
  });

  test('a conflict about a moved file, or a file of another kind, names the other task and the path that people know', async () => {
    const repository = stage.stage.repository();
    repository.write('base.txt', 'base\n');
    repository.write('d/x.txt', 'one\ntwo\nthree\n');
    repository.write('link', 'a file\n');
    repository.commit('base');
    const conflictOf = async (scripts: readonly [string, string]) => {
      const [a, b] = scripts.map((script) => does(script)) as [Member, Member];
      const { report } = await stage.run(sessionFor(repository.root, { a, b }), '--worktree');
      const { conflict } = await apply(report.session_id, '--branch', `${report.session_id}-work`);
      return [conflict?.task_id, conflict?.with.map(({ task_id }) => task_id), conflict?.details];
    };
    assert.deepEqual(await conflictOf(['rm -r d', 'mv d moved']), ['b', ['a'], ['moved/x.txt']]);
    const kinds = await conflictOf(['rm link; ln -s base.txt link', 'rm link; mkdir link; echo x > link/x']);
    assert.deepEqual(kinds.slice(0, 2), ['b', ['a']]);
    assert.doesNotMatch(JSON.stringify(kinds), /~/);
  });

  test('a conflict names both tasks; an agent that is named for it gets a task, and the rest goes on after it', async () => {
    const repository = stage.stage.repository();
    repository.write('base.txt', 'base\n');
    repository.write('same.txt', 'one\n');
    repository.commit('base');
    const tasks = sessionFor(repository.root, {
      a: does('echo a > same.txt'),
      b: does('echo b > same.txt'),
      c: does('echo c > c.txt'),
    });
    const { report } = await stage.run(tasks, '--worktree');
    const stopped = await apply(report.session_id);
    const { conflict } = stopped;
    assert.deepEqual([stopped.exit, conflict?.task_id, conflict?.details], [1, 'b', ['same.txt']]);
    assert.deepEqual([conflict?.with.map(({ task_id }) => task_id), conflict?.resolved_in], [['a'], null]);
    const resolving = await apply(report.session_id, '--resolve', 'shows-prompt');
    const task = resolving.conflict?.resolved_in ?? '';
    assert.match(task, /^TASK-/);
    const shown = await stage.stage.data.json<{ readonly body: string }>('task', 'show', task);
    assert.match(shown.body, /conflicts with the files as they are in same\.txt[\s\S]*\| \+b/);
    const rest = await apply(report.session_id);
    assert.deepEqual([rest.exit, rest.applied.map(({ task_id }) => task_id)], [0, ['c']]);
  });
});
