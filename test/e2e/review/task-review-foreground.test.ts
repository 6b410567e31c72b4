import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AttentionView } from '../../../src/api/review/review-contract.ts';
import { StartedBaton } from '../../support/agent/cli-stage.ts';
import { FeedbackStage } from '../../support/review/feedback-stage.ts';
import { linesOf } from '../../support/run-baton.ts';
import { orderRun, until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const CHECK = ['--check', 'test -f plan.md'] as const;
const AUTHOR = ['--agent', 'dev', '--worktree', '--review', '--yes'] as const;

const begin = (name: string, review: string) => FeedbackStage.begin(name, { settings: { review: JSON.parse(review) } });
const statusOf = async (stage: FeedbackStage, task: string) =>
  (await stage.data.json<{ status: string }>('task', 'show', task)).status;
const queueOf = async (stage: FeedbackStage) =>
  linesOf<AttentionView>(await stage.data.run(['review', 'list', '--json']));

describe('a review by policy without a running node', { skip: noBubblewrap }, () => {
  test('is carried by baton run: rounds, the author in its worktree, and the report after them', async () => {
    const stage = await begin('foreground-person', '{"by":"picky","rounds":3,"then":"person"}');
    const { root } = stage.repository('- budget of it\n');
    const { status, stdout, stderr } = await stage.data.run(['run', 'write the plan', ...AUTHOR, ...CHECK], {
      folder: root,
    });
    assert.equal(status, 3, stderr);
    const at = (text: string | RegExp) => stdout.search(text);
    const places = [
      /unchecked {2}TASK-\S+: no file was changed.*is reviewed by picky first/s,
      'round 1 of at most 3: asks picky',
      'dev deals with them',
      'round 2 of at most 3: asks picky',
      'nothing is left after 2 rounds',
      /waits for your review\n/,
      'next: baton review approve',
    ].map(at);
    assert.ok(
      places.every((place, index) => place > (places[index - 1] ?? -1)),
      `${places}\n${stdout}`,
    );
    const [item] = await queueOf(stage);
    assert.match(item?.why ?? '', /picky finds nothing more: 1 accepted/);
    assert.equal((await stage.events('task.created')).length, 1);
  });

  test('accepts checked work where the policy says so; --json has one RESPONSE, that of the last round', async () => {
    const stage = await begin('foreground-done', '{"by":"picky","rounds":3,"then":"done"}');
    const repository = stage.repository('- budget of it\n');
    // Its check fails before the work, so that it proves something.
    // The policy is about all work: no --review.
    const words = ['run', 'write it', '--agent', 'breaker', '--worktree', '--yes', '--json'];
    const flags = ['--check', 'grep -q broken plan.md'];
    const run = await stage.data.run([...words, ...flags], { folder: repository.root });
    const { exit, own, stderr } = orderRun(run);
    assert.deepEqual([exit, linesOf(run).length], [0, 1], stderr);
    assert.equal(await statusOf(stage, own.task), 'done');
    const [approved] = await stage.events('review.approved');
    assert.equal(approved?.actor, 'picky');
    assert.equal((await stage.events('feedback.fixing')).length, 1);
    assert.deepEqual(await queueOf(stage), []);
  });

  test('says why nobody reviews it, and the work waits for a person', async () => {
    const stage = await begin('foreground-nobody', '{"by":"dev","then":"done"}');
    const { root } = stage.repository('a plan\n');
    const run = await stage.data.run(['run', 'write the plan', ...AUTHOR, ...CHECK], { folder: root });
    assert.equal(run.status, 3, run.stderr);
    assert.match(
      run.stdout,
      /note nobody of review\.by \(dev\) may review it: .*not dev, nor an agent of the same vendor/,
    );
    assert.match(run.stdout, /waits for your review/);
    const again = await stage.data.run(['feedback', '@', '--json'], { folder: root });
    assert.deepEqual([again.status, linesOf<{ code: string }>(again)[0]?.code], [2, 'invalid_argument']);
    assert.match(again.stderr, /nobody of review\.by/);
  });

  test('Ctrl-C stops the review, and leaves the work for a person', async () => {
    const sleeper = { driver: 'process', command: ['sleep', '600'], provider: 'OTHER', model: 'm' };
    const stage = await begin('foreground-stopped', '{"by":"sleeper"}');
    stage.configure({ review: { by: 'sleeper' } }, { more: { sleeper } });
    const { root } = stage.repository('- budget of it\n');
    const words = ['run', 'write the plan', ...AUTHOR, ...CHECK, '--data', stage.data.path];
    const running = new StartedBaton(words, { cwd: root, env: process.env });
    await until(() => /asks sleeper/.test(running.stdout));
    running.child.kill('SIGINT');
    const { status, stdout } = await running.ended;
    assert.equal(status, 130, stdout);
    assert.match(stdout, /stopped by you/);
    assert.match(stdout, /waits for your review/);
    const [item] = await queueOf(stage);
    assert.match(item?.why ?? '', /its review by sleeper was stopped/);
  });

  test('goes on by baton feedback TASK after kill -9, with the answer that had arrived', async () => {
    const stage = await begin('foreground-killed', '{"by":"picky","rounds":2,"then":"person"}');
    const { root } = stage.repository('- budget of it\n');
    const environment = { BATON_CRASH: 'feedback.kept-exchange-answered:1' };
    const run = ['run', 'write the plan', ...AUTHOR, ...CHECK];
    const killed = await stage.data.run(run, { folder: root, environment });
    assert.equal(killed.status, null, killed.stderr);
    const [item] = await queueOf(stage);
    assert.match(item?.why ?? '', /picky/);
    const { status, stdout, stderr } = await stage.data.run(['feedback', '@'], { folder: root });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /nothing is left after 2 rounds/);
    const answered = (await stage.events('feedback.answered')).map(({ payload }) => payload.iteration);
    assert.deepEqual(answered, [1, 2]);
    const shown = await stage.data.run(['feedback', '@', '--json'], { folder: root });
    assert.deepEqual([shown.status, linesOf(shown).length], [0, 3]);
  });

  test('a run on a node that stays up waits for its review as well', async () => {
    const stage = await FeedbackStage.begin('foreground-up', {
      isUp: true,
      settings: { review: JSON.parse('{"by":"picky","rounds":2,"then":"person"}') },
    });
    const { root } = stage.repository('- budget of it\n');
    const run = await stage.data.run(['run', 'write the plan', ...AUTHOR, ...CHECK, '--json'], { folder: root });
    assert.equal(linesOf(run).length, 1, run.stderr);
    await until(async () => (await stage.events('feedback.ended')).length === 1);
    assert.equal((await stage.events('feedback.opened')).length, 1);
  });
});
