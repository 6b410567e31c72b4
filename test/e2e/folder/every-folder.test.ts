import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { StatusAnswer } from '../../../src/api/contract.ts';
import { scratchFolder } from '../../support/data-folder.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';
import { processesOf, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { SessionStage, sessionFor } from '../../support/session/session-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

describe('all data folders of a user', () => {
  test('status --all shows each, up --all starts a node for each once, and a damaged one hides nothing', async () => {
    const folder = scratchFolder('every-folder');
    const environment = { XDG_STATE_HOME: join(folder, 'state'), TZ: 'UTC', BATON_RUN: '' };
    const baton = (...args: string[]) => runBaton(args, { environment });
    const folders = ['one', 'two'].map((name) => join(folder, name));
    for (const data of folders) await baton('task', 'new', '--title', `task of ${data}`, '--data', data);
    const shown = linesOf<StatusAnswer>(await baton('status', '--all', '--json'));
    assert.deepEqual(
      shown.map(({ data }) => data),
      folders,
    );
    const page = (await baton('status', '--all')).stdout;
    for (const data of folders) assert.match(page, new RegExp(`task of ${data}`));
    const up = linesOf<{ data: string; pid: number }>(await baton('up', '--all', '--json'));
    try {
      assert.deepEqual(
        up.map(({ data }) => data),
        folders,
      );
      const again = linesOf<{ pid: number }>(await baton('up', '--all', '--json'));
      assert.deepEqual(
        again.map(({ pid }) => pid),
        up.map(({ pid }) => pid),
      );
    } finally {
      for (const data of folders) await baton('down', '--data', data);
    }
    for (const { pid } of up) await until(() => !existsSync(`/proc/${pid}`));
    const damaged = join(folder, 'one', 'ledger.sqlite');
    writeFileSync(damaged, 'no ledger');
    const partly = await baton('status', '--all', '--json');
    assert.equal(partly.status, 1);
    const [broken, whole] = linesOf<Record<string, unknown>>(partly);
    assert.equal(broken?.['data'], folders[0]);
    assert.ok(broken?.['message']);
    assert.equal(whole?.['data'], folders[1]);
    const both = await baton('status', '--all', '--data', folders[1] ?? '');
    assert.equal(both.status, 2);
  });

  test('stop --all leaves no process of any agent in any folder, however stubborn', {
    skip: noBubblewrap,
  }, async () => {
    const [served, alone] = [await RunStage.up('stop-all'), await RunStage.alone('stop-all-alone')];
    const orders = [
      { stage: served, task: taskFor('works-until-told', served.repository().root) },
      { stage: served, task: taskFor('ignores-sigterm', served.repository().root) },
      { stage: alone, task: taskFor('ignores-sigterm', alone.repository().root) },
    ];
    const runs = orders.map(({ stage, task }) => stage.start(task));
    await until(() => orders.every(({ task }) => processesOf(task).length > 0));
    const { root } = served.repository();
    const session = new SessionStage(served).start(
      sessionFor(root, { first: { agent: 'works-until-told' }, second: { agent: 'completes', after: ['first'] } }),
    );
    await until(async () => (await served.data.json<StatusAnswer>('status')).running.length === 3);
    const stopped = await runBaton(['stop', '--all', '--json'], { environment: { TZ: 'UTC', BATON_RUN: '' } });
    assert.equal(stopped.status, 0, stopped.stdout + stopped.stderr);
    const [{ stopped: tasks }] = linesOf<{ stopped: { data: string }[] }>(stopped) as [{ stopped: { data: string }[] }];
    assert.deepEqual([...new Set(tasks.map(({ data }) => data))].sort(), [served.data.path, alone.data.path].sort());
    for (const run of runs) await run.ended;
    for (const { task } of orders) await until(() => processesOf(task).length === 0);
    const { exit, states } = await session.answered();
    assert.deepEqual([exit, states], [4, { first: 'ABORTED', second: 'ABORTED' }]);
    for (const { data } of [served, alone]) assert.deepEqual((await data.json<StatusAnswer>('status')).running, []);
  });
});
