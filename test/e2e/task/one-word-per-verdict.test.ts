import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StatusAnswer } from '../../../src/api/contract.ts';
import type { Overview } from '../../../src/api/overview/overview-contract.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { verdictWord } from '../../../src/domain/words/verdict-words.ts';
import { output, processesOf, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { SessionStage, sessionFor } from '../../support/session/session-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('one-word');
const { data } = stage;
const fine = { agent: 'completes', task: { expected_outputs: [output('fine.txt')] } };

/** The word for a task on every page that shows one. */
async function wordsFor(id: string): Promise<readonly (string | undefined)[]> {
  const said = async (...args: string[]) => (await data.run(args)).stdout;
  const settled = (await said('events', '--task', id)).split('\n').find((line) => line.includes('settled the order'));
  return [
    /^Work\n {2}(\w+);/m.exec(await said('task', 'show', id))?.[1],
    new RegExp(`${id}.*\\n +(\\w+)`).exec(await said('report'))?.[1],
    /settled the order: (\w+)/.exec(settled ?? '')?.[1],
    await wordOnDashboard(id),
  ];
}

async function wordOnDashboard(id: string): Promise<string | undefined> {
  const overview = await stage.daemon?.client.overview();
  if (!overview || isRefusal(overview)) return undefined;
  const { finished, needsYou }: Overview = overview;
  const shown =
    finished.find((task) => task.id === id)?.summary ?? needsYou.find(({ task, work }) => task === id && work)?.work;
  return shown ? verdictWord(shown) : undefined;
}

describe('a verdict has one word on every page', { skip: noBubblewrap }, () => {
  test('a task that never started because another failed is skipped', async () => {
    const { root } = stage.repository();
    const sessions = new SessionStage(stage);
    const bad = { agent: 'claims-success', task: { expected_outputs: [output('missing.txt')] } };
    const run = await sessions.run(sessionFor(root, { bad, next: { ...fine, after: ['bad'] } }));
    const shown = await sessions.show(run.report.session_id);
    const [failed, skipped] = shown.tasks;
    assert.deepEqual([failed?.verdict, skipped?.verdict, skipped?.state], ['failed', 'aborted', 'SKIPPED']);
    assert.deepEqual(await wordsFor(String(skipped?.id)), ['skipped', 'skipped', 'skipped', 'skipped']);
    assert.deepEqual(await wordsFor(String(failed?.id)), ['failed', 'failed', 'failed', 'failed']);
    const page = (await data.run(['session', 'show', run.report.session_id])).stdout;
    assert.match(page, /^skipped {4}next/m);
  });

  test('a task that a person stopped is stopped, and the fields say by whom', async () => {
    const { root } = stage.repository();
    const task = taskFor('ignores-sigterm', root, { task: { expected_outputs: [output('a.txt')] } });
    const run = stage.start(task);
    let id = '';
    await until(async () => {
      id = (await data.json<StatusAnswer>('status')).running[0]?.id ?? '';
      return id !== '' && processesOf(task).length > 0;
    });
    assert.equal((await data.run(['stop', id])).status, 0);
    assert.equal((await run.answered()).exit, 130);
    const report = await stage.daemon?.client.orderReport({ task: id });
    assert.ok(report && !isRefusal(report));
    assert.deepEqual([report.verdict, report.stoppedBy, report.isStopped], ['aborted', 'operator', true]);
    assert.deepEqual(await wordsFor(id), ['stopped', 'stopped', 'stopped', 'stopped']);
  });

  test('a task that a checkpoint ended is aborted, and nobody stopped it', async () => {
    const { root } = stage.repository();
    const checkpoint = {
      checkpoint_id: 'c1',
      description: 'there is a file',
      expected_artifacts: [output('never.txt')],
      recovery_strategy: 'ABORT',
    };
    const phases = [{ phase_id: 'p1', phase_order: 1, label: 'one', objective: 'x', checkpoints: [checkpoint] }];
    const { exit, own } = await stage.run(taskFor('claims-success', root, { phases }));
    assert.equal(exit, 4);
    assert.deepEqual(await wordsFor(own.task), ['aborted', 'aborted', 'aborted', 'aborted']);
  });
});
