import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { FeedbackList } from '../../../src/api/review/feedback-contract.ts';
import type { AttentionView } from '../../../src/api/review/review-contract.ts';
import { FeedbackStage } from '../../support/review/feedback-stage.ts';
import { linesOf } from '../../support/run-baton.ts';
import { until } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const PLAN = '- budget of it\n- keep the name\n- half the time\n';
const RUN = ['--agent', 'dev', '--worktree', '--review', '--check', 'test -f plan.md'] as const;
const POINTS = ['-m', 'plan.md:1: budget of it', '-m', 'plan.md:2: keep the name', '-m', 'half the time'] as const;

const whyOf = async (stage: FeedbackStage) =>
  linesOf<AttentionView>(await stage.data.run(['review', 'list', '--json']))[0]?.why ?? '';

type Last = { items: FeedbackList['feedbacks'][number]['items']; feedback: string; end: string | null; rounds: number };

/** The newest review of a task, as `baton feedback TASK --json` ends. */
async function lastOf(stage: FeedbackStage, task: string, exit: number): Promise<Last> {
  const run = await stage.data.run(['feedback', task, '--json']);
  assert.equal(run.status, exit, run.stderr);
  return linesOf<Last>(run).at(-1) ?? assert.fail();
}

describe('work that a person returns', { skip: noBubblewrap }, () => {
  test('its points are findings with a fate: decided by the author, disputed when they come again, settled by approval', async () => {
    const stage = await FeedbackStage.begin('returns');
    const repository = stage.repository(PLAN);
    const task = await stage.run(repository, 'write the plan', ...RUN);
    const returned = await stage.data.run(['review', 'return', task, ...POINTS, '--json'], { folder: repository.root });
    assert.equal(returned.status, 0, returned.stderr);
    // The first round changed nothing: the next one is in a worktree all the same, as it was asked for.
    assert.equal(readFileSync(join(repository.root, 'plan.md'), 'utf8'), PLAN);
    assert.match(
      await whyOf(stage),
      /of your 3 points dev accepted 1, did a part of 1 \(the work\), rejected 1 \(plan\.md:2\)/,
    );
    const first = await lastOf(stage, task, 0);
    assert.deepEqual(
      first.items.map(({ description, foundBy, fate, reason }) => [description, foundBy, fate, reason]),
      [
        ['budget of it', ['operator'], 'accepted', null],
        ['keep the name', ['operator'], 'rejected', 'out_of_scope: It has to stay.'],
        ['half the time', ['operator'], 'partial', 'A half of it.'],
      ],
    );
    // The same point again, in other words, is a dispute, and its id is the same.
    const again = ['review', 'return', task, '-m', 'plan.md:1: do not keep the name', '--json'];
    assert.equal((await stage.data.run(again, { folder: repository.root })).status, 0);
    const second = await lastOf(stage, task, 0);
    assert.equal(second.feedback, first.feedback);
    const [budget, name, half] = second.items;
    assert.deepEqual([second.items.length, second.rounds], [3, 2]);
    assert.equal(name?.id, first.items[1]?.id);
    assert.deepEqual([budget?.fate, half?.fate, name?.fate], ['accepted', 'partial', 'rejected']);
    assert.match(await whyOf(stage), /of your 1 point dev rejected 1/);
    await stage.data.json('review', 'approve', task);
    const last = await lastOf(stage, task, 0);
    assert.deepEqual(
      [last.end, last.items.map(({ fate }) => fate)],
      ['nothing-left', ['accepted', 'rejected', 'partial']],
    );
  });

  test('points that the author decided nothing about are left: exit 3', async () => {
    const stage = await FeedbackStage.begin('returns-left');
    const repository = stage.repository(PLAN);
    const task = await stage.run(repository, 'write the plan', '--agent', 'breaker', ...RUN.slice(2));
    await stage.data.run(['review', 'return', task, ...POINTS, '--json'], { folder: repository.root });
    const { items, end } = await lastOf(stage, task, 3);
    assert.deepEqual([end, items.map(({ fate }) => fate)], [null, ['open', 'open', 'open']]);
    const shown = await stage.data.run(['feedback', task]);
    assert.equal(shown.status, 3, shown.stderr);
    assert.match(shown.stdout, /3 of 3 findings left after 1 round; you review it next/);
  });

  test('a rejected point that comes again is shown with both reasons while it is open', async () => {
    const stage = await FeedbackStage.begin('returns-dispute', { isUp: true });
    const client = stage.daemon?.client ?? assert.fail();
    const repository = stage.repository(PLAN);
    const task = await stage.run(repository, 'write the plan', ...RUN);
    const comments = [{ path: 'plan.md', line: 2, text: 'keep the name' }];
    taken(await client.returnReview({ task, comments }));
    await until(async () => (await stage.events('order.reported')).length === 2);
    await until(async () => taken(await client.listFeedback({ task })).feedbacks[0]?.state === 'waiting');
    stage.configure(
      {},
      { more: { dev: { driver: 'process', command: ['sleep', '600'], provider: 'OTHER', model: 'm' } } },
    );
    taken(await client.returnReview({ task, message: 'keep the name: no, plan.md:2 must go' }));
    const [open] = taken(await client.listFeedback({ task })).feedbacks;
    const [item] = open?.items ?? [];
    assert.deepEqual([open?.state, open?.isByPerson, open?.round, item?.fate], ['fixing', true, 2, 'disputed']);
    assert.deepEqual(item?.decided, { status: 'rejected', by: 'dev', reason: 'out_of_scope: It has to stay.' });
    assert.deepEqual(item?.insisted, [{ reviewer: 'operator', text: 'keep the name: no, plan.md:2 must go' }]);
    await stage.daemon?.end();
  });

  test('goes on after kill -9 before the change was recorded: nothing of the author is lost', async () => {
    const stage = await FeedbackStage.begin('returns-killed');
    const repository = stage.repository(PLAN);
    const task = await stage.run(repository, 'write the plan', ...RUN);
    const environment = { BATON_CRASH: 'feedback.found-exchange-fixed:1' };
    const words = ['review', 'return', task, ...POINTS, '--json'];
    const killed = await stage.data.run(words, { folder: repository.root, environment });
    assert.equal(killed.status, null, killed.stderr);
    // A further round, in which the author decides on nothing, is not the one that dealt with the points.
    const further = await stage.data.run(['continue', task, 'look again', '--json'], { folder: repository.root });
    assert.notEqual(further.status, 2, further.stderr);
    const { items } = await lastOf(stage, task, 0);
    assert.deepEqual(
      items.map(({ fate }) => fate),
      ['accepted', 'rejected', 'partial'],
    );
    await stage.data.json('review', 'approve', task);
  });
});
