import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrderPlan } from '../../../test/support/order/an-order-plan.ts';
import type { OrderPlan } from '../../domain/order/order-request.ts';
import { UsageError } from '../command.ts';
import { type AskOptions, askAll, questionsOf } from './confirm-plan.ts';

const agreeOn = (plan: OrderPlan, asking: AskOptions) => askAll(questionsOf(plan), asking);

const DIRTY = { branch: 'main', head: 'c0ffee', changedFiles: 2 };
const SUGGESTED = { checks: [], suggestedChecks: ['npm test'] };

const CASES: readonly (readonly [Partial<OrderPlan>, readonly string[]])[] = [
  [{}, []],
  [{ sandbox: 'none', sandboxMissing: 'bwrap is not here' }, ['no-sandbox']],
  [{ git: null }, ['no-git']],
  [{ git: DIRTY }, ['dirty-tree']],
  [{ git: DIRTY, workplace: 'worktree' }, []],
  [{ budgetUsd: null }, ['no-cap']],
  [{ budgetUsd: null, costsMoney: false }, []],
  [SUGGESTED, ['suggested-check']],
  [{ ...SUGGESTED, checks: ['make'] }, []],
  [{ sandbox: 'none', git: null, budgetUsd: null, isProgram: true }, []],
];

for (const [changes, kinds] of CASES) {
  test(`a plan with ${JSON.stringify(changes)} asks ${kinds.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(
      questionsOf(anOrderPlan(changes)).map(({ kind }) => kind),
      kinds,
    );
  });
}

const never = () => Promise.reject(new Error('nobody is to be asked'));

test('where nobody can answer, a risk is refused with what to give instead', async () => {
  const asking = { isYes: false, isTerminal: false, ask: never };
  await assert.rejects(
    agreeOn(anOrderPlan({ git: DIRTY }), asking),
    (error) =>
      error instanceof UsageError &&
      error.message === '2 files have uncommitted changes in /shop, and there is no terminal to ask on' &&
      error.hint === 'add --worktree, or --yes to continue anyway',
  );
});

test('where nobody can answer, a proposal is left out', async () => {
  const asking = { isYes: false, isTerminal: false, ask: never };
  assert.deepEqual(await agreeOn(anOrderPlan(SUGGESTED), asking), { acceptedChecks: [] });
});

const ANSWERS: readonly (readonly [string, boolean, boolean])[] = [
  ['', true, false],
  ['y', true, true],
  [' YES ', true, true],
  ['n', false, false],
];

for (const [answer, takesProposal, takesRisk] of ANSWERS) {
  test(`the answer ${JSON.stringify(answer)} is ${takesProposal ? 'yes' : 'no'} to a proposal and ${takesRisk ? 'yes' : 'no'} to a risk`, async () => {
    const asking = { isYes: false, isTerminal: true, ask: async () => answer };
    assert.deepEqual(await agreeOn(anOrderPlan(SUGGESTED), asking), {
      acceptedChecks: takesProposal ? ['npm test'] : [],
    });
    const risk = agreeOn(anOrderPlan({ git: null }), asking);
    if (takesRisk) await risk;
    else await assert.rejects(risk, { message: 'not started' });
  });
}

test('an answer that is neither yes nor no is asked again, and garbage begins nothing', async () => {
  const answers = ['what', 'n'];
  const ask = async () => answers.shift() ?? null;
  assert.deepEqual(await agreeOn(anOrderPlan(SUGGESTED), { isYes: false, isTerminal: true, ask }), {
    acceptedChecks: [],
  });
  const garbage = { isYes: false, isTerminal: true, ask: async () => 'what' };
  await assert.rejects(agreeOn(anOrderPlan(SUGGESTED), garbage), { message: 'not started' });
});

test('no answer at all begins nothing, not even with what is only proposed', async () => {
  const asking = { isYes: false, isTerminal: true, ask: async () => null };
  for (const changes of [SUGGESTED, { git: null }]) {
    await assert.rejects(agreeOn(anOrderPlan(changes), asking), { message: 'not started' });
  }
});

test('the plan is shown before the first question, once, and not where nothing is asked', async () => {
  let shown = 0;
  const asking = { isYes: false, isTerminal: true, ask: async () => 'y', beforeAsking: async () => void shown++ };
  await agreeOn(anOrderPlan({}), asking);
  assert.equal(shown, 0);
  await agreeOn(anOrderPlan({ ...SUGGESTED, git: null }), asking);
  assert.equal(shown, 1);
});

test('--yes answers everything without asking', async () => {
  const plan = anOrderPlan({ ...SUGGESTED, git: null, sandbox: 'none', budgetUsd: null });
  assert.deepEqual(await agreeOn(plan, { isYes: true, isTerminal: true, ask: never }), {
    acceptedChecks: ['npm test'],
  });
});

test('suggested checks are asked for one by one', async () => {
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return question.includes('lint') ? 'n' : '';
  };
  const plan = anOrderPlan({ checks: [], suggestedChecks: ['npm test', 'npm run lint', 'make test'] });
  assert.deepEqual(await agreeOn(plan, { isYes: false, isTerminal: true, ask }), {
    acceptedChecks: ['npm test', 'make test'],
  });
  assert.deepEqual(asked, [
    'no check was named; this repository suggests "npm test". Use it? [Y/n] ',
    'this repository suggests "npm run lint". Use it? [Y/n] ',
    'this repository suggests "make test". Use it? [Y/n] ',
  ]);
});
