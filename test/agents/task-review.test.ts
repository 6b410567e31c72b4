import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { FeedbackList } from '../../src/api/review/feedback-contract.ts';
import type { AttentionView } from '../../src/api/review/review-contract.ts';
import { CliStage } from '../support/agent/cli-stage.ts';
import { CLAUDE, CODEX, GEMINI, noVendorCli, OPENCODE, type VendorCli } from '../support/agent/vendor-cli.ts';
import { browser, go, NO_BROWSER } from '../support/dashboard/dashboard-stage.ts';
import { linesOf } from '../support/run-baton.ts';
import { orderRun, until } from '../support/run-stage.ts';
import type { ModelStep } from '../support/scripted-model/model-step.ts';

/** opencode takes half a minute to start: `npm run test:agents` has it, and the second pair. */
const isWhole = process.env.BATON_TEST_AGENTS === 'all';
const PAIRS: readonly (readonly [author: VendorCli, reviewer: VendorCli])[] = [
  [CLAUDE, CODEX],
  ...(isWhole
    ? ([
        [CODEX, GEMINI],
        [GEMINI, CLAUDE],
        [CLAUDE, OPENCODE],
      ] as const)
    : []),
];

const say = (text: string): ModelStep => ({ do: 'say', text });
const BUDGET = ['budget-missing', 'plan.md', 'The budget of the plan is missing.', 'Say what it may cost.'] as const;
const NAME = ['name-is-vague', 'plan.md:1', 'The name of the plan says nothing.', 'Name the feature.'] as const;
type Area = readonly [id: string, aspect: string, description: string, recommendation: string];

const found = (iteration: number, ...areas: readonly Area[]): ModelStep =>
  say(
    JSON.stringify({
      protocol_version: '1.2',
      iteration,
      status: 'success',
      feedback: {
        confidence: { level: 'high', justification: 'It is short.' },
        positive_points: [],
        areas_for_improvement: areas.map(([id, aspect, description, recommendation]) => ({
          id,
          aspect,
          description,
          recommendation,
        })),
        general_summary: `${areas.length} to do`,
      },
    }),
  );
const decided = (...items: readonly object[]): ModelStep =>
  say(`Done.\n\n\`\`\`json\n${JSON.stringify({ applied_feedback: { items } }, null, 2)}\n\`\`\`\n`);
const ACCEPTED = { id: 'budget-missing', status: 'accepted' };
const REJECTED = { id: 'name-is-vague', status: 'rejected', explanation: 'It is the name of the product.' };

async function begin(author: VendorCli, reviewer: VendorCli, policy: string): Promise<CliStage> {
  const stage = await CliStage.begin([author, reviewer]);
  const folder = join(stage.home, '.config', 'baton');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ review: JSON.parse(policy) }));
  stage.models
    .get(author.name)
    ?.follow([
      { do: 'write', path: stage.path('plan.md'), content: '# Plan\n' },
      say('The plan is written.'),
      { do: 'write', path: stage.path('plan.md'), content: '# Plan\n\nIt costs nothing.\n' },
      decided(ACCEPTED, REJECTED),
    ]);
  return stage;
}

const served = (stage: CliStage, { name }: VendorCli) => stage.models.get(name)?.served.map(({ text }) => text) ?? [];
const run = (stage: CliStage, { name }: VendorCli) =>
  stage.baton(
    ...['run', 'Write plan.md.', '--agent', name, '--worktree', '--review', '--yes', '--json'],
    ...['--check', 'test -f plan.md'],
  );

for (const [author, reviewer] of PAIRS) {
  const skip = noVendorCli(author.name) || noVendorCli(reviewer.name);
  describe(`the work of ${author.name}, reviewed by ${reviewer.name}`, { skip }, () => {
    test('goes back into the same session and worktree, is reviewed again, and is accepted', async () => {
      const policy = JSON.stringify({ by: reviewer.name, rounds: 3 }).replace('}', ',"then":"done"}');
      const stage = await begin(author, reviewer, policy);
      stage.models.get(reviewer.name)?.follow([found(1, BUDGET, NAME), found(2)]);
      const answer = await run(stage, author);
      const { exit, own } = orderRun(answer);
      assert.equal(exit, 0, answer.stdout + answer.stderr);
      const task = linesOf<{ status: string }>(await stage.baton('task', 'show', own.task, '--json'))[0];
      assert.equal(task?.status, 'done');
      const review = served(stage, reviewer);
      assert.match(review[0] ?? '', /Write plan\.md/);
      assert.match(review[0] ?? '', /# Plan/);
      const again = review.at(-1) ?? '';
      for (const told of ['It is the name of the product.', 'It costs nothing.']) assert.ok(again.includes(told), told);
      const told = served(stage, author).find((text) => text.includes('budget-missing')) ?? '';
      assert.ok(told.includes('The plan is written.'), 'it does not go on in its session');
      assert.match(told, /The name of the plan says nothing/);
      assert.equal(stage.repository.git('status', '--porcelain', '--', 'plan.md'), '', 'the user has no file of it');
      const diff = await stage.baton('diff', own.task);
      assert.match(diff.stdout, /\+It costs nothing\./);
      assert.deepEqual(stage.left().processes, []);
    });

    test('a finding that was rejected and comes again is left to a person, with both reasons', async () => {
      const policy = JSON.stringify({ by: reviewer.name, rounds: 3 }).replace('}', ',"then":"done"}');
      const stage = await begin(author, reviewer, policy);
      stage.models.get(reviewer.name)?.follow([found(1, BUDGET, NAME), found(2, NAME)]);
      const { own } = orderRun(await run(stage, author));
      const [item] = linesOf<AttentionView>(await stage.baton('review', 'list', '--json'));
      assert.deepEqual([item?.task, item?.kind], [own.task, 'review']);
      assert.match(item?.why ?? '', new RegExp(`${reviewer.name}: 1 disputed \\(plan\\.md:1\\)`));
      const shown = await stage.baton('feedback', own.task);
      assert.equal(shown.status, 3, shown.stdout + shown.stderr);
      assert.match(shown.stdout, new RegExp(`${author.name} rejected: It is the name of the product\\.`));
      assert.match(shown.stdout, new RegExp(`${reviewer.name}: The name of the plan says nothing\\.`));
    });
  });
}

const noPair = isWhole
  ? noVendorCli(CLAUDE.name) || noVendorCli(CODEX.name) || NO_BROWSER
  : 'npm run test:agents has it';

describe('the dashboard', { skip: noPair }, () => {
  test('has the work of claude reviewed by codex with a click, and shows every round', {
    timeout: 180_000,
  }, async () => {
    const stage = await begin(CLAUDE, CODEX, 'null');
    writeFileSync(join(stage.home, '.config', 'baton', 'config.yaml'), '{}');
    const opened = linesOf<{ url: string }>(await stage.baton('open', '--json'))[0] ?? assert.fail();
    after(() => stage.baton('down'));
    const { own } = orderRun(await run(stage, CLAUDE));
    stage.models.get('codex')?.follow([found(1, BUDGET, NAME), found(2, NAME)]);
    const page = await (await browser()).newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(opened.url);
    await page.getByText('● live').waitFor();
    await go(page, `/tasks/${own.task}?show=reviews`);
    await page.getByRole('button', { name: 'Ask for a review…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: /codex/ }).check();
    await dialog.getByRole('button', { name: 'Ask', exact: true }).click();
    const review = page.getByRole('article', { name: 'Review by codex' });
    await review.getByText('Round 2', { exact: true }).waitFor({ timeout: 120_000 });
    await review.getByText(/1 finding left, each rejected before/).waitFor({ timeout: 60_000 });
    const disputed = review.locator('.finding.disputed');
    await disputed.getByText('claude rejected:').waitFor();
    await disputed.getByText('codex insists:').waitFor();
    const [list] = linesOf<FeedbackList & { feedback: string }>(await stage.baton('feedback', own.task, '--json'));
    assert.ok(list);
    await until(async () => (await stage.baton('review', 'list', '--json')).stdout.includes('codex: 1 disputed'));
  });
});
