import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import { isRefusal } from '../refusal.ts';
import type { Access } from './access.ts';
import { delegateOrder } from './decide-delegation.ts';
import type { Order } from './order.ts';

const ACCESS: Access = {
  readPaths: ['/ws'],
  writePaths: ['/ws/src'],
  readOnlyPaths: ['/ws/src/kept'],
  network: 'RESTRICTED',
};
const OWN = anOrder({
  taskId: 'T-1',
  workspaceRoot: '/ws',
  access: ACCESS,
  isDelegationAllowed: true,
  isSandboxDemanded: true,
  budget: { costUsdMax: 2, tokensMax: null },
});

/** Asks for a child within its parent's rights; `/ws/link` leads out of them. */
function ask(change: Partial<Order> = {}, own: Order = OWN) {
  const access = { ...ACCESS, readOnlyPaths: [] };
  const child = anOrder({ taskId: 'T-2', workspaceRoot: '/ws', access, ...change });
  return delegateOrder(child, own, (path) => path.replace('/ws/link', '/elsewhere'));
}

const answer = (change: Partial<Order>, own?: Order): string | null => {
  const given = ask(change, own);
  return isRefusal(given) ? `${given.code} ${given.field?.kind}` : null;
};

test('an order below the own one is taken, and never has more rights or money', () => {
  const given = ask({ budget: { costUsdMax: 9, tokensMax: 5 }, isSandboxDemanded: false, parentTaskId: null });
  assert.ok(!isRefusal(given));
  assert.deepEqual(given.budget, { costUsdMax: 2, tokensMax: 5 });
  assert.deepEqual([given.parentTaskId, given.isSandboxDemanded], ['T-1', true]);
  assert.deepEqual(given.access.readOnlyPaths, ['/ws/src/kept']);
});

const wide = (access: Partial<Access>): Partial<Order> => ({ access: { ...ACCESS, readOnlyPaths: [], ...access } });

const REFUSED: readonly [string, Partial<Order>, string][] = [
  ['another session', { sessionId: 'S-other' }, 'parent'],
  ['another parent', { parentTaskId: 'T-9' }, 'parent'],
  ['another workspace', { workspaceRoot: '/other' }, 'workspace'],
  ['a workspace behind a link', { workspaceRoot: '/ws/link' }, 'workspace'],
  ['a read path outside', wide({ readPaths: ['/ws', '/etc/ssh'] }), 'read-path'],
  ['a read path behind a link', wide({ readPaths: ['/ws/link/x'] }), 'read-path'],
  ['a write path that is readable only', wide({ writePaths: ['/ws/docs'] }), 'write-path'],
  ['a write path that is never written', wide({ writePaths: ['/ws/src/kept/a'] }), 'write-path'],
  ['more network', wide({ network: 'FULL' }), 'network'],
];
for (const [what, change, field] of REFUSED) {
  test(`${what} is refused`, () => assert.equal(answer(change), `E_PERMISSION_DENIED ${field}`));
}

test('nothing is given out where the own TASK does not allow it', () => {
  assert.equal(answer({}, { ...OWN, isDelegationAllowed: false }), 'E_PERMISSION_DENIED parent');
});
