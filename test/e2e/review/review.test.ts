import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { HeldTask, StatusAnswer, TaskDetail } from '../../../src/api/contract.ts';
import type { AttentionView, ReviewAnswer } from '../../../src/api/review/review-contract.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { VendorStage } from '../../support/agent/vendor-stage.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { type BatonRun, linesOf } from '../../support/run-baton.ts';
import { orderRun } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { TestDaemon } from '../../support/test-daemon.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const KEYS = ['id', 'kind', 'task', 'title', 'why', 'actions', 'deadlineAt', 'default', 'risk', 'owner'];
const scratch = scratchFolder('review');

async function listed(run: Promise<BatonRun>): Promise<AttentionView[]> {
  const { status, stdout, stderr, extra } = await run;
  assert.equal(status, 0, stderr);
  const items = linesOf<AttentionView>({ status, stdout, stderr, extra });
  for (const item of items) assert.deepEqual(Object.keys(item), KEYS);
  return items;
}

function refusedWith(run: BatonRun, code: string, pattern: RegExp): void {
  assert.equal(run.status, 2, run.stdout + run.stderr);
  assert.equal(linesOf<{ code: string }>(run)[0]?.code, code);
  assert.match(run.stderr, pattern);
}

/** A task in review whose agent claimed it, did it and reported. */
async function claimedReview(data: DataFolder, title: string): Promise<string> {
  const { id } = await data.newTask(title);
  const { run } = await data.json<HeldTask>('task', 'claim', id, '--agent', 'emma');
  await data.json('task', 'move', id, 'review');
  assert.ok(run.id.startsWith('run_'));
  return id;
}

describe('work of an agent that Baton runs', { skip: noBubblewrap }, () => {
  test('is returned with numbered items into its session and worktree, then approved once', async (t) => {
    const stage = new VendorStage(t);
    const words = ['Fill a.txt.', '@codex 1 write a.txt wrong', '@codex 2 write a.txt right'].join('\n');
    const flags = ['--agent', 'codex', '--yes', '--json', '--worktree'];
    const first = orderRun(await stage.baton('run', words, ...flags));
    assert.equal(first.exit, 3, first.stderr);
    const { task } = first.own;
    const [item, ...others] = await listed(stage.baton('review', 'list', '--json'));
    assert.deepEqual(others, []);
    assert.deepEqual(
      { ...item, id: '' },
      {
        id: '',
        kind: 'review',
        task,
        title: 'Fill a.txt.',
        why: 'unchecked: no checks were defined; +1 -0 in 1 file',
        actions: ['approve', 'return'],
        deadlineAt: null,
        default: null,
        risk: 'unchecked',
        owner: 'codex',
      },
    );
    const items = ['-m', 'Use the other word.', '-m', 'a.txt:1: and say\nwhy'];
    const second = orderRun(await stage.baton('review', 'return', item?.id ?? '', ...items, '--json'));
    assert.deepEqual([second.exit, second.own.task, second.own.workplace], [3, task, 'worktree'], second.stderr);
    const [prompts = []] = stage.prompts('codex');
    assert.equal(prompts.length, 2);
    assert.match(prompts[1] ?? '', /comes back to you.*\n\n1\. Use the other word\.\n2\. a\.txt:1: and say\n {3}why\n/);
    refusedWith(
      await stage.baton('review', 'approve', item?.id ?? '', '--json'),
      'review_answered',
      /was returned before, by operator at 20/,
    );
    const diff = await stage.json<{ text: string }>('diff', task);
    assert.match(diff.text, /^\+right$/m);
    const answer = await stage.json<ReviewAnswer>('review', 'approve', task, '-m', 'good');
    assert.deepEqual([answer.task.status, answer.answer, answer.by], ['done', 'approved', 'operator']);
    for (const verb of ['approve', 'return']) {
      const late = await stage.baton('review', verb, task, '-m', 'late', '--json');
      refusedWith(late, 'review_answered', /was approved before, by operator at 20/);
    }
    assert.deepEqual(await listed(stage.baton('review', 'list', '--json')), []);
    const [approved] = await stage.events(task, 'review.approved');
    assert.deepEqual([approved?.actor, approved?.payload.message], ['operator', 'good']);
    const [returned] = await stage.events(task, 'review.returned');
    assert.deepEqual(
      ((returned?.payload.items ?? []) as { aspect: string; text: string }[]).map(({ aspect, text }) => [aspect, text]),
      [
        ['the work', 'Use the other word.'],
        ['a.txt:1', 'and say\nwhy'],
      ],
    );
    const body = readFileSync(join(stage.root, `.baton/tasks/done/${task}.md`), 'utf8');
    assert.match(body, /Review: returned by operator \| 1\. the work: Use the other word\. \| 2\. /);
  });
});

describe('the attention queue', () => {
  test('lists every kind as status does, and says what settles each', async () => {
    const data = new DataFolder(join(scratch, 'kinds'));
    const review = await claimedReview(data, 'Write the README');
    const { id: blocked } = await data.newTask('Deploy');
    await data.json('task', 'move', blocked, 'blocked', '--reason', 'no credentials');
    const items = await listed(data.run(['review', 'list', '--json']));
    assert.deepEqual(
      items.map(({ kind, task, why, actions, risk, owner }) => [kind, task, why, actions, risk, owner]),
      [
        [
          'review',
          review,
          'unchecked: Baton ran no check; moved to review',
          ['approve', 'return'],
          'unchecked',
          'emma',
        ],
        ['blocked', blocked, 'no credentials', ['retry', 'cancel'], null, 'operator'],
      ],
    );
    const { attention } = await data.json<StatusAnswer>('status');
    assert.deepEqual(attention, { items, total: 2 });
    assert.deepEqual(await listed(data.run(['review', 'list', 'deploy', '--json'])), [items[1]]);
    const page = (await data.run(['review', 'list'])).stdout;
    assert.match(
      page,
      new RegExp(`^  ${review}  review   Write the README · emma\n +unchecked: .*\n +baton review approve`, 'm'),
    );
    assert.match(page, new RegExp(`^  ${blocked}  blocked  Deploy · operator\n +no credentials$`, 'm'));
  });

  test('is empty without a word where nothing waits, and creates nothing', async () => {
    const data = new DataFolder(join(scratch, 'empty'));
    const missing = await data.run(['review', 'list', '--json']);
    assert.deepEqual([missing.status, data.has()], [2, false]);
    await data.json('init');
    assert.equal((await data.run(['review', 'list'])).stdout, 'nothing waits for you\n');
    assert.equal((await data.run(['review', 'list', '--json'])).stdout, '');
  });

  test('returns work to an agent that claimed it: in progress again, the items in its work log', async () => {
    const data = new DataFolder(join(scratch, 'claimed'));
    const task = await claimedReview(data, 'Users');
    const answer = await data.json<ReviewAnswer>('review', 'return', task, '-m', 'No tests.');
    assert.deepEqual([answer.task.status, answer.plan], ['in-progress', null]);
    assert.deepEqual(
      answer.items.map(({ aspect, text }) => [aspect, text]),
      [['the work', 'No tests.']],
    );
    assert.match(answer.items[0]?.id ?? '', /^[a-z0-9._-]{8,128}$/);
    const shown = await data.json<TaskDetail>('task', 'show', task);
    assert.match(shown.body, /## Work Log\n\n- \S+Z Review: returned by operator \| 1\. the work: No tests\.\n/);
    assert.equal(shown.runs.at(-1)?.status, 'running');
  });

  const REFUSED: readonly (readonly [what: string, args: readonly string[], code: string, says: RegExp])[] = [
    ['a task that is not there', ['approve', '99'], 'task_not_found', /no task "99"/],
    [
      'an entry that is not there',
      ['approve', 'review_TASK-2020-01-01-001_5'],
      'task_not_found',
      /TASK-2020-01-01-001/,
    ],
    ['a blocked task', ['approve', 'deploy'], 'review_not_found', /is blocked, not in review\ntry: baton task retry/],
    ['a task in backlog', ['return', 'users', '-m', 'x'], 'review_not_found', /is backlog, not in review/],
    ['a return without a word', ['return', 'users'], 'usage', /what is to be changed\?/],
    ['a return with an empty word', ['return', 'users', '-m', ' '], 'invalid_argument', /a comment is empty/],
    ['a return of a whole book', ['return', 'users', '-m', 'x'.repeat(20_001)], 'invalid_argument', /20001 characters/],
    ['no task', ['approve'], 'usage', /needs a task/],
  ];

  test('refuses what cannot be answered, and changes nothing', async () => {
    const data = new DataFolder(join(scratch, 'refused'));
    const { id } = await data.newTask('Deploy');
    await data.newTask('Users');
    await data.json('task', 'move', id, 'blocked');
    const before = (await data.run(['events', '--json'])).stdout;
    for (const [what, args, code, says] of REFUSED) {
      const run = await data.run(['review', ...args, '--json']);
      assert.equal(linesOf<{ code: string }>(run)[0]?.code, code, what);
      refusedWith(run, code, says);
    }
    assert.equal((await data.run(['events', '--json'])).stdout, before);
  });

  test('takes one of many answers that come at once, and tells the others who was first', async () => {
    const data = new DataFolder(join(scratch, 'race'));
    await data.json('init');
    const daemon = await TestDaemon.start(data.path);
    const { client } = daemon;
    for (let round = 0; round < 5; round++) {
      const task = await claimedReview(data, `Race ${round}`);
      const { items } = taken(await client.listAttention({ task }));
      const reference = items[0]?.id ?? assert.fail('no entry');
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          at % 2 === 0
            ? client.approveReview({ task: reference })
            : client.returnReview({ task: reference, message: `return ${at}` }),
        ),
      );
      const won = answers.filter((answer) => !isRefusal(answer));
      assert.equal(won.length, 1);
      for (const answer of answers)
        if (isRefusal(answer))
          assert.match(answer.message, /^the review of \S+ was (approved|returned) before, by operator/);
      const { events } = taken(await client.listEvents({ task, type: 'review.*' }));
      assert.equal(events.length, 1);
    }
    await daemon.end();
  });
});
