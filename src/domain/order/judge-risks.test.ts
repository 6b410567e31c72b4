import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrderPlan } from '../../../test/support/order/an-order-plan.ts';
import { judgeFurtherRisks, judgeRisks, judgeSessionRisks } from './judge-risks.ts';
import type { OrderPlan } from './order-request.ts';

const dirty = (changedFiles: number) => ({ git: { branch: 'main', head: 'c0ffee', changedFiles } });

const CASES: readonly (readonly [Partial<OrderPlan>, readonly string[]])[] = [
  [{}, []],
  [{ sandbox: 'none', sandboxMissing: 'bwrap is not here' }, ['there is no sandbox (bwrap is not here)']],
  [{ git: null }, ['/shop is not in git, so the work cannot be undone']],
  [dirty(1), ['1 file has uncommitted changes in /shop']],
  [dirty(2), ['2 files have uncommitted changes in /shop']],
  [{ ...dirty(2), workplace: 'worktree' }, []],
  [{ ...dirty(2), writePaths: [] }, []],
  [{ budgetUsd: null }, ['no spending limit is set']],
  [{ budgetUsd: null, costsMoney: false }, []],
];

for (const [changes, facts] of CASES) {
  test(`a plan with ${JSON.stringify(changes)}: ${facts.join(', ') || 'no risk'}`, () => {
    assert.deepEqual(
      judgeRisks(anOrderPlan(changes)).map(({ fact }) => fact),
      facts,
    );
  });
}

test('each risk has its advice, the same for an order and a session', () => {
  const plan = anOrderPlan({ sandbox: 'none', git: null, budgetUsd: null });
  const advice = judgeRisks(plan).map(({ kind, instead }) => [kind, instead]);
  assert.deepEqual(advice, [
    ['no-sandbox', '--yes'],
    ['no-git', '--yes'],
    ['no-cap', '--budget 5'],
  ]);
  const ofSession = judgeSessionRisks([plan, plan], null).map(({ kind, instead }) => [kind, instead]);
  assert.deepEqual(ofSession, advice);
});

test('a further round has the cap and the changes of the one before it', () => {
  const plan = anOrderPlan({ ...dirty(2), sandbox: 'none', budgetUsd: null });
  assert.deepEqual(
    judgeFurtherRisks(plan).map(({ kind }) => kind),
    ['no-sandbox'],
  );
});

test('the cap of a session bounds tasks without one of their own', () => {
  assert.deepEqual(judgeSessionRisks([anOrderPlan({ budgetUsd: null })], 3), []);
});
