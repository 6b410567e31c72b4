import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { FeedbackStage } from '../../support/review/feedback-stage.ts';
import { ROOT } from '../../support/run-baton.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const REVIEWER = join(ROOT, 'test/fixtures/reviewers/reviews.mjs');
const CHECK = ['--check', 'test -f plan.md'] as const;

/** Providers that give no answer, and what the requester says about each. */
const BAD: Readonly<Record<string, RegExp>> = {
  'stops-after-step-start': /no Response Object/,
  'no-text': /no Response Object/,
  'says-nothing': /no Response Object/,
  'error-line': /APIError: Too many requests/,
  prose: /no Response Object/,
  'wrong-iteration': /iteration: is 2, and the request has 1/,
  'session-field': /session_id: is not a known field/,
  'bad-ids': /"Not An Id" is not 8 to 128 characters/,
  'equal-ids': /"one-and-the-same" is used more than once/,
  'too-long': /a line is longer than 16 MiB/,
  dies: /exit code 3/,
  'never-answers': /did not end within 1 s/,
  approves: /status/,
};
/** Those that answer, however oddly, and the number of their findings. */
const ODD: Readonly<Record<string, number>> = {
  'three-texts': 2,
  fenced: 2,
  pretty: 2,
  chatty: 2,
  'ten-megabytes': 2,
  'thousand-areas': 1_000,
};

const agent = (...words: string[]) => ({
  driver: 'process',
  command: [process.execPath, REVIEWER, ...words],
  provider: 'OTHER',
  model: 'm',
  ...(words[0] === 'never-answers' && { timeout_seconds: 1 }),
});
const names = [...Object.keys(BAD), ...Object.keys(ODD), 'other-session', 'dies-later'];
const stage = await FeedbackStage.begin('bad-answers', { isUp: true });
stage.configure({}, { more: Object.fromEntries(names.map((name) => [name, agent(name)])) });
const repository = stage.repository('- one thing\n- another thing\n');

describe('baton feedback with a provider that', { skip: noBubblewrap }, () => {
  for (const [name, says] of Object.entries(BAD))
    test(`${name}: no answer, its code, and no finding`, async () => {
      const { exit, last, rounds } = await stage.feedback(repository, 'plan.md', '--from', name, '--fix', 'dev');
      assert.deepEqual([exit, last.end, last.items, rounds.length], [1, 'no-answer', [], 1]);
      assert.match(last.message ?? '', says);
      assert.equal(last.response.error?.code, 'INTERNAL_ERROR');
      assert.equal(last.task, null, 'nobody was asked to change anything');
    });

  for (const [name, findings] of Object.entries(ODD))
    test(`${name}: its findings are taken`, async () => {
      const { exit, last } = await stage.feedback(repository, 'plan.md', '--from', name);
      assert.deepEqual([exit, last.items.length], [3, findings]);
    });

  for (const [name, says] of [
    ['other-session', /answered for session "somebody-else", and was asked in tool-session-1/],
    ['dies-later', /exit code 3/],
  ] as const)
    test(`${name} in the second round: what was decided stays, and nothing is called settled`, async () => {
      const flags = ['--from', name, '--fix', 'dev', ...CHECK];
      const { exit, last } = await stage.feedback(stage.repository('- budget of it\n- keep it\n'), 'plan.md', ...flags);
      assert.deepEqual([exit, last.end, last.rounds], [1, 'no-answer', 2]);
      assert.match(last.message ?? '', says);
      assert.deepEqual(
        last.items.map(({ fate, lastRound }) => [fate, lastRound]),
        [
          ['accepted', 1],
          ['rejected', 1],
        ],
      );
    });
});
