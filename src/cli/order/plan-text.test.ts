import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrderPlan } from '../../../test/support/order/an-order-plan.ts';
import type { OrderPlan } from '../../domain/order/order-request.ts';
import { foldLines } from '../output/lines.ts';
import { styleFor } from '../output/style.ts';
import { planLines, planText } from './plan-text.ts';

const PLAIN = styleFor(0, false);

test('a plan has four lines: what, who and where, what it may touch, how it is checked and capped', () => {
  assert.deepEqual(foldLines(planLines(anOrderPlan(), PLAIN, 'TASK-2026-02-09-057'), 80).split('\n'), [
    'task    TASK-2026-02-09-057  Add tests',
    'agent   emma (process, tester) in /shop (main, clean)',
    'may     write /shop; no network; in a sandbox',
    'checks  npm test; 1 retry, at most 30 min each, at most $5',
  ]);
});

const CLAUDE = { name: 'claude', driver: 'claude', provider: 'CLAUDE', model: 'claude' };

const CASES: readonly (readonly [Partial<OrderPlan>, number, RegExp])[] = [
  [{ agent: { name: 'demo', driver: 'demo', provider: 'LOCAL', model: 'demo' } }, 1, /^agent {3}demo in /],
  [{ git: null }, 1, /\(no git\)$/],
  [{ git: { branch: null, head: 'c0ffee', changedFiles: 1 } }, 1, /\(no branch, 1 file changed\)$/],
  [{ git: { branch: 'main', head: 'c0ffee', changedFiles: 3 } }, 1, /\(main, 3 files changed\)$/],
  [{ workplace: 'worktree' }, 1, / in a worktree of \/shop /],
  [{ workplace: 'waits' }, 1, / waits for another run in \/shop /],
  [{ workplace: 'worktree', heldBy: 'TASK-1' }, 4, /^note {4}TASK-1 is working there; this task gets its own worktree/],
  [{ workplace: 'waits', heldBy: 'TASK-1' }, 4, /^note {4}TASK-1 is working there; this task waits until/],
  [{ writePaths: [] }, 2, /^may {5}write nothing; no network; in a sandbox$/],
  [{ sessionPaths: ['/home/a/.vendor/'] }, 3, /^keeps {3}\/home\/a\/.vendor\/$/],
  [{ readPaths: ['/shop', '/shop/src', '/data'], programPaths: ['/opt/emma'] }, 3, /^reads {3}\/data, \/opt\/emma$/],
  [{ hosts: ['github.com'] }, 2, /; reach github\.com; in a sandbox$/],
  [{ network: 'FULL' }, 2, /; use the whole network; in a sandbox$/],
  [{ sandbox: 'none' }, 2, /^may {5}write \/shop; not sandboxed: nothing enforces this$/],
  [{ sandbox: 'none', agent: CLAUDE }, 2, /not sandboxed: nothing enforces this, but it asks you before anything else/],
  [{ checks: [] }, 3, /^checks {2}none: the work will be unchecked; /],
  [{ checks: [], suggestedChecks: ['npm test'] }, 3, / unchecked \(this repository suggests --check "npm test"\); /],
  [{ budgetUsd: null }, 3, /, no cap on money$/],
  [{ budgetUsd: null, costsMoney: false, timeoutSeconds: 90 }, 3, /; 1 retry, at most 90 s each, costs nothing$/],
  [{ retries: 0 }, 3, /; no retry, at most 30 min, at most \$5$/],
  [{ retries: 3 }, 3, /; 3 retries, at most 30 min each, /],
  [{ warnings: ['objective is long'] }, 4, /^note {4}objective is long$/],
  [{ title: 'two\u001b[31mlines' }, 0, /^task {4}two[^\u001b]*lines$/],
];

for (const [changes, line, wanted] of CASES) {
  test(`a plan with ${JSON.stringify(changes)} says so`, () => {
    assert.match(planText(anOrderPlan(changes), PLAIN).split('\n')[line] ?? '', wanted);
  });
}
