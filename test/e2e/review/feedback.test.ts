import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { EventView } from '../../../src/api/contract.ts';
import type { AttentionView } from '../../../src/api/review/review-contract.ts';
import { FeedbackStage, type LastLine } from '../../support/review/feedback-stage.ts';
import { linesOf } from '../../support/run-baton.ts';
import { noTerminal, TerminalRun } from '../../support/terminal-run.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const PLAN = '# Plan\n- budget of it\n- keep the name\n- half the time\n';
const CHECK = ['--check', 'test -f plan.md'] as const;

const stage = await FeedbackStage.begin('feedback', { isUp: true });
const fates = ({ items }: Pick<LastLine, 'items'>) => items.map(({ id, fate }) => [id, fate]);

describe('baton feedback', { skip: noBubblewrap }, () => {
  test('asks once where nobody decides: every finding is open, with who found it', async () => {
    const repository = stage.repository(PLAN);
    const { exit, rounds, last } = await stage.feedback(repository, 'plan.md', '--from', 'critic,other');
    assert.equal(exit, 3);
    assert.deepEqual(
      rounds.map(({ round, answers }) => [round, answers.map(({ reviewer, findings }) => [reviewer, findings])]),
      [
        [
          1,
          [
            ['critic', 3],
            ['other', 3],
          ],
        ],
      ],
    );
    assert.deepEqual(last.items[0], {
      id: 'finding-budget-of-it',
      description: 'About budget of it.',
      foundBy: ['critic', 'other'],
      fate: 'open',
      reason: null,
      firstRound: 1,
      lastRound: 1,
    });
    assert.equal(last.response.status, 'success');
    const clean = await stage.feedback(stage.repository('nothing to say'), 'plan.md', '--from', 'critic');
    assert.deepEqual([clean.exit, clean.last.items], [0, []]);
  });

  test('an agent deals with findings in a worktree, the reviewers are asked again, and disputes have both reasons', async () => {
    const repository = stage.repository(PLAN);
    const { exit, rounds, last } = await stage.feedback(
      repository,
      'plan.md',
      '--from',
      'critic,other',
      '--fix',
      'dev',
      ...CHECK,
    );
    assert.equal(exit, 3);
    assert.deepEqual(fates(last), [
      ['finding-budget-of-it', 'accepted'],
      ['finding-keep-the-name', 'disputed'],
      ['finding-half-the-time', 'partial'],
    ]);
    assert.deepEqual(
      last.items.map(({ reason }) => reason),
      [
        null,
        'dev rejected: out_of_scope: It has to stay. | critic: About keep the name. | other: About keep the name.',
        'A half of it.',
      ],
    );
    assert.deepEqual(
      [last.rounds, last.end, rounds.map(({ fix }) => fix?.signal)],
      [2, 'nothing-new', ['SUCCESS', undefined]],
    );
    // The user's file is as it was, and the work waits for a person.
    assert.equal(readFileSync(join(repository.root, 'plan.md'), 'utf8'), PLAN);
    const queue = linesOf<AttentionView>(await stage.data.run(['review', 'list', '--json']));
    assert.ok(queue.some(({ task, kind }) => task === last.task && kind === 'review'));
    const diff = await stage.data.run(['diff', last.task ?? ''], { folder: repository.root });
    assert.match(diff.stdout, /^-- budget of it$/m);
  });

  for (const dev of ['printer', 'both'])
    test(`takes the decisions that the agent ${dev} prints as plain output`, async () => {
      const { exit, last } = await stage.feedback(stage.repository(PLAN), 'plan.md', '--from', 'critic', '--fix', dev);
      assert.equal(exit, 3);
      assert.deepEqual(fates(last), [
        ['finding-budget-of-it', 'accepted'],
        ['finding-keep-the-name', 'disputed'],
        ['finding-half-the-time', 'partial'],
      ]);
      const logs = await stage.data.run(['logs', last.task ?? '']);
      assert.match(logs.stdout, /It has to stay/);
    });

  test('goes on in one session of each reviewer, which learns what became of its own findings', async () => {
    const repository = stage.repository('- budget of it\n');
    const { exit, rounds, last } = await stage.feedback(
      repository,
      'plan.md',
      '--from',
      'teller',
      '--fix',
      'dev',
      ...CHECK,
    );
    assert.deepEqual([exit, last.rounds, last.end], [0, 2, 'nothing-left']);
    const sessions = rounds.flatMap(({ answers }) => answers.map(({ session, iteration }) => [session, iteration]));
    assert.deepEqual(
      sessions.map(([, iteration]) => iteration),
      [1, 2],
    );
    assert.equal(new Set(sessions.map(([session]) => session)).size, 1);
    const { request } = JSON.parse(last.response.feedback?.general_summary ?? '{}');
    assert.deepEqual(request.applied_feedback, { items: [{ id: 'finding-budget-of-it', status: 'accepted' }] });
    assert.equal(request.artifact.content.includes('budget'), false);
  });

  test('ends when the rounds are used up: a finding that comes back is left', async () => {
    const repository = stage.repository('- stubborn thing\n');
    const flags = ['--from', 'critic', '--fix', 'dev', '--rounds', '2', ...CHECK];
    const { exit, last } = await stage.feedback(repository, 'plan.md', ...flags);
    assert.deepEqual([exit, last.end, fates(last)], [3, 'rounds-used', [['finding-stubborn-thing', 'open']]]);
  });

  test('fails where the change fails its checks, or nobody answers; a reviewer beside others is only named', async () => {
    const repository = stage.repository('- budget of it\n');
    const broken = await stage.feedback(
      repository,
      'plan.md',
      '--from',
      'critic',
      '--fix',
      'breaker',
      '--check',
      '! grep -q broken plan.md',
    );
    assert.deepEqual(
      [broken.exit, broken.last.end, fates(broken.last)],
      [1, 'fix-failed', [['finding-budget-of-it', 'open']]],
    );
    const silent = await stage.feedback(repository, 'plan.md', '--from', 'dies');
    assert.deepEqual([silent.exit, silent.last.end], [1, 'no-answer']);
    assert.match(silent.last.message ?? '', /dies.*exit code 3/);
    const clean = stage.repository('nothing');
    const told = await stage.data.run(['feedback', 'plan.md', '--from', 'critic,dies'], { folder: clean.root });
    assert.match(told.stdout, /^ {2}critic {2}.*\n {2}dies {4}no answer: .*exit code 3/m);
    const half = await stage.feedback(clean, 'plan.md', '--from', 'critic,dies');
    assert.deepEqual([half.exit, half.last.end], [3, 'nothing-left']);
  });

  test('reviews the work of a task: objective, criteria, receipt and difference, read where the work lies', async () => {
    const repository = stage.repository('- budget of it\n- keep the name\n');
    const task = await stage.run(repository, 'budget of it', '--agent', 'dev', '--worktree', ...CHECK);
    const { last } = await stage.feedback(repository, task, '--from', 'teller', '--ask', 'Is it done?');
    const { request } = JSON.parse(last.response.feedback?.general_summary ?? '{}');
    assert.equal(request['x-ask'], 'Is it done?');
    const { content, media_type: type } = request.artifact;
    assert.equal(type, 'text/markdown');
    for (const part of [
      '## Objective\n\nbudget of it',
      '`test -f plan.md` passes',
      '## Receipt',
      '## Difference\n\n```diff',
    ])
      assert.ok(content.includes(part), `${part}\n${content}`);
    const own = await stage.feedback(repository, task, '--from', 'dev');
    assert.deepEqual([own.exit, own.refused?.code], [2, 'invalid_argument']);
    assert.match(own.stderr, /dev did the work of .* and cannot review it/);
  });

  test('is refused whole before anybody is asked', async () => {
    const repository = stage.repository(PLAN);
    writeFileSync(join(repository.root, 'new.md'), 'x\n');
    writeFileSync(join(repository.root, 'bytes.bin'), Buffer.from([0xff, 0xfe, 0, 1]));
    writeFileSync(join(repository.root, 'empty.md'), '\n');
    const before = linesOf<EventView>(await stage.data.run(['events', '--json'])).length;
    const REFUSED: readonly (readonly [words: readonly string[], says: RegExp])[] = [
      [[], /on what\?/],
      [['plan.md'], /who reviews it\?/],
      [['plan.md', '--from', 'nobody'], /no agent "nobody"/],
      [['plan.md', '--from', 'critic,critic'], /named twice/],
      [['plan.md', '--from', 'critic', '--fix', 'critic'], /cannot review its own work/],
      [['plan.md', '--from', 'critic', '--rounds', '0'], /not a number from 1/],
      [['plan.md', '--from', 'critic', '--decide'], /needs a terminal/],
      [['gone.md', '--from', 'critic'], /no such file/],
      [['.', '--from', 'critic'], /is a folder/],
      [['bytes.bin', '--from', 'critic'], /not text[\s\S]*converted to UTF-8/],
      [['empty.md', '--from', 'critic'], /nothing to review[\s\S]*name another file/],
      [['new.md', '--from', 'critic', '--fix', 'dev'], /differs from the last commit/],
      [['-', '--from', 'critic', '--fix', 'dev'], /not a text|nothing to review/],
      [['TASK-2020-01-01-001', '--from', 'critic'], /no task/],
      [['fbk_00000000000000000000000000'], /no feedback fbk_0/],
    ];
    for (const [words, says] of REFUSED) {
      const { exit, stderr } = await stage.feedback(repository, ...words);
      assert.equal(exit, 2, `${words.join(' ')}\n${stderr}`);
      assert.match(stderr, says, words.join(' '));
    }
    assert.equal(linesOf<EventView>(await stage.data.run(['events', '--json'])).length, before);
  });

  test('reads no file that an agent put in the place of the artifact by a link', async () => {
    const repository = stage.repository('- budget of it\n');
    writeFileSync(join(stage.folder, 'secret.txt'), '- secret\n');
    const { exit, last } = await stage.feedback(repository, 'plan.md', '--from', 'critic', '--fix', 'linker');
    assert.equal(exit, 1);
    assert.match(last.message ?? '', /link out of the worktree|not there/);
    assert.ok(!JSON.stringify(last).includes('- secret'));
  });

  test('a person decides with one key an item, changes the file, and the reviewers are asked again', {
    skip: noTerminal,
  }, async () => {
    const repository = stage.repository('- budget of it\n- keep the name\n');
    const run = new TerminalRun(['feedback', 'plan.md', '--from', 'critic', '--data', stage.data.path], {
      cwd: repository.root,
    });
    await run.shows(/1 of 2[\s\S]*q stop: /);
    run.type('a');
    await run.shows(/2 of 2[\s\S]*q stop: /);
    run.type('r');
    await run.shows(/why not\? /);
    run.type('It stays.\r');
    await run.shows(/change plan\.md now/);
    writeFileSync(join(repository.root, 'plan.md'), '- keep the name\n');
    run.type('\r');
    assert.equal(await run.ended, 3);
    const screen = stripVTControlCharacters(run.screen);
    assert.match(screen, /accepted {2}budget of it/);
    assert.match(screen, /disputed {2}keep the name/);
    assert.match(screen, /operator rejected: It stays\./);
  });
});

describe('baton feedback without a node', { skip: noBubblewrap }, () => {
  // test/faults/feedback-crash.test.ts and test/faults/review-crash.test.ts have the others.
  const POINTS = ['feedback.kept-answered:1', 'feedback.found-exchange-fixed:1'];

  for (const point of POINTS)
    test(`goes on after kill -9 at ${point}: no answer is asked for twice, and one task has the changes`, async () => {
      const alone = await FeedbackStage.begin(`killed-${point.replaceAll(/[^a-z0-9]+/g, '-')}`);
      assert.ok(await alone.killed(point), 'it never came there');
    });

  test('a review by policy goes on after kill -9 when its reviewer was asked again', async () => {
    const alone = await FeedbackStage.begin('policy-killed');
    assert.ok(await alone.killedInReview('feedback.kept-exchange-asked:2'), 'it never came there');
  });
});
