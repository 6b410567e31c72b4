import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { linesOf } from '../support/run-baton.ts';
import { output, RunStage } from '../support/run-stage.ts';
import { type Member, SessionStage, sessionFor } from '../support/session-stage.ts';
import { noBubblewrap } from '../support/test-process.ts';

const stage = new SessionStage(await RunStage.up('session-apply'));

function makes(name: string, more: Partial<Member> = {}): Member {
  return { agent: 'completes', task: { expected_outputs: [output(`${name}.txt`)] }, ...more };
}

interface Applied {
  readonly applied: readonly { readonly task_id: string; readonly files: readonly string[] }[];
  readonly conflict: { readonly task_id: string; readonly details: readonly string[] } | null;
}

async function apply(session: string): Promise<Applied & { readonly exit: number | null }> {
  const ended = await stage.stage.data.run(['session', 'apply', session, '--json']);
  return { ...(linesOf<Applied>(ended)[0] as Applied), exit: ended.status };
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
});
