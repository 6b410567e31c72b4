import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DashboardStage, go, NO_BROWSER } from '../support/dashboard/dashboard-stage.ts';
import { programOf } from '../support/fixture-agents.ts';
import { ROOT } from '../support/run-baton.ts';
import { until } from '../support/run-stage.ts';
import { taken } from '../support/taken.ts';
import { noBubblewrap } from '../support/test-process.ts';

const SLOW = { skip: NO_BROWSER || noBubblewrap, timeout: 180_000 };
const REVIEWER = join(ROOT, 'test/fixtures/reviewers/reviews.mjs');
const program = (file: string, ...words: string[]) => ({
  driver: 'process',
  command: [process.execPath, file, ...words],
  provider: 'OTHER',
  model: 'm',
});
const agents = {
  dev: program(programOf('fixes-findings')),
  critic: program(REVIEWER, 'well'),
  gemini: program(REVIEWER, 'reads-plan'),
  codex: program(REVIEWER, 'rereads-plan'),
  hostile: program(REVIEWER, 'hostile'),
};
const stage = await DashboardStage.begin({ agents, default_agent: 'dev' });
stage.repository.write('plan.md', '- budget of it\n- keep the name\n');
stage.repository.commit('a plan');
after(() => stage.assertNoFaults());

const order = async (words: string) => {
  const task = await stage.order([words], { agent: 'dev', worktree: true, checks: ['test -f plan.md'] });
  await stage.until(task, 'review');
  return task;
};

test('two agents review work by a click: rounds, who found what, and a dispute with both reasons', SLOW, async () => {
  const task = await order('Write the plan');
  const page = await stage.page(`/tasks/${task}`);
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Ask for a review…' }).click();
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.getByRole('checkbox', { name: /dev/ }).count(), 0, 'nobody reviews its own work');
  await dialog.getByRole('checkbox', { name: /codex/ }).check();
  await dialog.getByRole('checkbox', { name: /gemini/ }).check();
  await dialog.getByLabel('A question for them (optional)').fill('Is it a plan?');
  await dialog.getByRole('button', { name: 'Ask' }).click();
  await page
    .locator('.note')
    .getByText(/asked codex, gemini for a review/)
    .waitFor();
  await page.getByRole('link', { name: 'Reviews' }).click();
  const review = page.getByRole('article', { name: 'Review by codex, gemini' });
  await review.getByText(/1 finding left, each rejected before/).waitFor();
  await review.getByText('Round 2', { exact: true }).waitFor();
  const disputed = review.locator('.finding.disputed');
  await disputed.getByText('dev rejected:').waitFor();
  await disputed.getByText('It has to stay.').waitFor();
  await disputed.getByText('codex insists:').waitFor();
  await disputed.getByText('gemini insists:').waitFor();
  assert.equal(await review.locator('.finding').first().getAttribute('class'), 'finding disputed');
  await review.locator('.finding.accepted').getByText('budget of it', { exact: true }).waitFor();
  await go(page, '/');
  const row = page.locator('[data-row]').filter({ hasText: 'Write the plan' });
  await row.getByText(/codex, gemini: 1 disputed \(keep the name\)/).waitFor();
  await row.getByRole('link', { name: /1 disputed/ }).click();
  await page.locator('.finding.disputed').waitFor();
});

test('comments on lines are findings: the author says what became of each, and the page shows it', SLOW, async () => {
  const task = await order('Write it again');
  // The work of this author changes nothing at first, so that one round gives the diff its lines.
  taken(await stage.client.returnReview({ task, comments: [{ text: 'budget of it' }] }));
  await stage.until(task, 'review');
  const page = await stage.page(`/tasks/${task}?show=diff`);
  await page.getByText('click a line number to comment').waitFor();
  await page.locator('.diff-gutter').getByText('1', { exact: true }).last().click();
  await page.getByLabel('Comment on this line').last().fill('keep the name');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('button', { name: 'Send back' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send back' }).click();
  await page
    .locator('.note')
    .getByText(/sent back to dev with 1 point/)
    .waitFor();
  await page.getByRole('link', { name: 'Reviews' }).click();
  const review = page.getByRole('article', { name: 'Review by you' });
  await review.getByText('you review it next').waitFor();
  const rejected = review.locator('.finding.rejected');
  await rejected.getByRole('link', { name: 'plan.md:1' }).waitFor();
  await rejected.getByText('dev rejected:').waitFor();
  await review.locator('.finding.accepted').getByText('budget of it').first().waitFor();
  const [open] = taken(await stage.client.listFeedback({ task })).feedbacks;
  assert.deepEqual(
    open?.items.map(({ aspect, foundBy }) => [aspect, foundBy]),
    [
      ['the work', ['operator']],
      ['plan.md:1', ['operator']],
    ],
  );
  await go(page, '/');
  await page
    .locator('[data-row]')
    .filter({ hasText: 'Write it again' })
    .getByText(/of your 1 point dev rejected 1 \(plan\.md:1\)/)
    .waitFor();
});

test('findings that wait for a decision are in the queue, and are decided on in the page', SLOW, async () => {
  const { feedback } = taken(
    await stage.client.beginFeedback({
      file: 'plan.md',
      workspace: stage.repository.root,
      from: ['critic'],
      fix: 'dev',
      decide: 'person',
      checks: ['test -f plan.md'],
    }),
  );
  const page = await stage.page();
  const row = page.locator('[data-row]').filter({ hasText: 'Feedback on plan.md' });
  await row.getByText('2 findings of critic wait for your decision').waitFor();
  await row.getByRole('button', { name: 'Decide' }).click();
  await page.getByRole('heading', { name: 'Feedback on plan.md' }).waitFor();
  const finding = (about: string) => page.locator('.finding').filter({ hasText: about });
  await finding('budget').getByRole('button', { name: 'Accept' }).click();
  await finding('keep').getByRole('button', { name: 'Reject…' }).click();
  await page.getByLabel('Why not? (optional)').fill('It is a good name.');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Send 2 decisions' }).click();
  await page.getByText(/The changes are in/).waitFor();
  await page.getByText(/1 finding left, each rejected before/).waitFor();
  await page.locator('.finding.disputed').getByText('you rejected:').waitFor();
  await page.locator('.finding.disputed').getByText('It is a good name.').waitFor();
  await until(async () => taken(await stage.client.showFeedback({ feedback })).end !== null);
});

test('words of a reviewer are inert in the page', SLOW, async () => {
  const request = { text: 'a plan', workspace: stage.repository.root, from: ['hostile'] };
  const { feedback } = taken(await stage.client.beginFeedback(request));
  const page = await stage.page(`/feedback/${feedback}`);
  const finding = page.locator('.finding');
  await finding.getByText('<script>hit()</script>').waitFor();
  const made = 'document.querySelectorAll("main img, main script, main [onerror], main a[href^=javascript]").length';
  assert.equal(await page.evaluate(made), 0);
  assert.doesNotMatch((await finding.textContent()) ?? '', /[\u001b\u202e]/);
});
