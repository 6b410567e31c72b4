import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EventView, StatusAnswer } from '../../../src/api/contract.ts';
import type { WorkAnswer } from '../../../src/api/order/order-contract.ts';
import type { AttentionView } from '../../../src/api/review/review-contract.ts';
import { linesOf } from '../../support/run-baton.ts';
import { RunStage, until } from '../../support/run-stage.ts';
import { type Member, SessionStage, sessionFor } from '../../support/session/session-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new SessionStage(await RunStage.up('session-overlaps'));
const { data } = stage.stage;

function does(script: string, more: Partial<Member> = {}): Member {
  return { agent: 'runs-a-script', objective: script, ...more };
}

function repositoryWith(file: string) {
  const repository = stage.stage.repository();
  repository.write(file, 'one\ntwo\nthree\n');
  repository.commit(file);
  return repository;
}

async function statusNow(): Promise<StatusAnswer> {
  return await data.json<StatusAnswer>('status');
}

describe('tasks that change the same files', { skip: noBubblewrap }, () => {
  test('are told of each other while they work, and of a person who does', async () => {
    const repository = repositoryWith('list.txt');
    const members = {
      a: does('echo a >> list.txt; echo a > only-a.txt; sleep 600'),
      b: does('echo b >> list.txt; sleep 600'),
      c: does('echo c > only-c.txt; sleep 600'),
    };
    const tasks = sessionFor(repository.root, members, { workflow_pattern: 'PARALLEL' });
    const run = stage.start(tasks, '--worktree');
    const overlapping = (status: StatusAnswer) => status.running.filter(({ overlaps }) => overlaps.length > 0);
    await until(async () => overlapping(await statusNow()).length === 2);
    repository.write('only-c.txt', 'mine\n');
    await until(async () => overlapping(await statusNow()).length === 3);
    const { running, attention } = await statusNow();
    const { tasks: shown } = await stage.show(tasks[0]?.session.session_id ?? '');
    const [a, b, c] = ['a', 'b', 'c'].map((name) => shown.find(({ task_id }) => task_id === name)?.id ?? '');
    const overlapsOf = (id = '') => running.find((task) => task.id === id)?.overlaps;
    assert.deepEqual(overlapsOf(a), [{ task: b, files: 1, paths: ['list.txt'] }]);
    assert.deepEqual(overlapsOf(b), [{ task: a, files: 1, paths: ['list.txt'] }]);
    assert.deepEqual(overlapsOf(c), [{ task: null, files: 1, paths: ['only-c.txt'] }]);
    const items = attention.items.filter(({ kind }: AttentionView) => kind === 'overlap');
    assert.equal(items.length, 1, 'one entry for both');
    assert.match(items[0]?.why ?? '', /TASK-\S+ changes the same files: list\.txt/);
    const page = (await data.run(['status'])).stdout;
    assert.match(page, /changes the same files: list\.txt/);
    assert.match(page, /a person changes the same files: only-c\.txt/);
    await data.run(['session', 'stop', tasks[0]?.session.session_id ?? '']);
    await run.ended;
    const events = linesOf<EventView>(await data.run(['events', '--json', '--type', 'work.overlapped']));
    assert.deepEqual(
      events.map(({ taskId, payload }) => `${taskId} ${payload['with']} ${payload['paths']}`).sort(),
      [`${a} ${b} list.txt`, `${b} ${a} list.txt`, `${c} person only-c.txt`].sort(),
    );
    assert.deepEqual(
      (await statusNow()).attention.items.filter(({ kind }) => kind === 'overlap'),
      [],
    );
  });

  test('are told of each other before one of them is applied, also if they were fast; a chain is no overlap', async () => {
    const repository = repositoryWith('base.txt');
    const members = {
      a: does('sed -i s/one/ONE/ base.txt'),
      b: does('sed -i s/three/THREE/ base.txt'),
      next: does('sed -i s/ONE/first/ base.txt', { after: ['a'] }),
    };
    const tasks = sessionFor(repository.root, members, { workflow_pattern: 'PARALLEL' });
    const run = await stage.run(tasks, '--worktree');
    assert.deepEqual(run.states, { a: 'COMPLETED', b: 'COMPLETED', next: 'COMPLETED' }, run.stderr);
    const { tasks: shown } = await stage.show(tasks[0]?.session.session_id ?? '');
    const idOf = (name: string) => shown.find(({ task_id }) => task_id === name)?.id ?? '';
    const named = (overlaps: StatusAnswer['toApply'][number]['overlaps'] = []) =>
      overlaps.map(({ task }) => task).sort();
    const { toApply } = await statusNow();
    const waiting = (name: string) => named(toApply.find(({ id }) => id === idOf(name))?.overlaps);
    assert.deepEqual(waiting('a'), [idOf('b')]);
    assert.deepEqual(waiting('b'), [idOf('a'), idOf('next')].sort());
    const applied = await data.json<WorkAnswer>('apply', idOf('b'));
    assert.deepEqual(named(applied.overlaps), [idOf('a'), idOf('next')].sort());
  });
});
