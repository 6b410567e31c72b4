import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../test/support/order/an-order.ts';
import type { OrderPlan, OrderRequest } from '../domain/order/order-request.ts';
import { answerOffer, needsForPerson, type OfferedRound } from './answer-offer.ts';

const ASKED: OrderRequest = { text: 'x', workspace: '/ws', net: ['npm'], allow: ['/data'] };

const ORDER = anOrder({
  bounds: { allow: ['/data'], network: 'RESTRICTED' },
  access: { readPaths: ['/ws', '../keys'], writePaths: ['/ws', '/out'], readOnlyPaths: [], network: 'FULL' },
});

const NEEDS = { readPaths: ['../keys'], writePaths: ['/out'], isWholeNetwork: true };

const PLAN: OrderPlan = {
  title: 'x',
  isProgram: false,
  agent: { name: 'emma', driver: 'codex', provider: 'CODEX', model: 'gpt' },
  workspace: '/ws',
  git: null,
  workplace: 'in-place',
  heldBy: null,
  readPaths: [],
  writePaths: [],
  programPaths: [],
  sessionPaths: [],
  beyond: NEEDS,
  network: 'FULL',
  hosts: [],
  sandbox: 'bubblewrap',
  sandboxMissing: null,
  checks: [],
  suggestedChecks: ['npm test', 'make check'],
  timeoutSeconds: 1,
  retries: 0,
  budgetUsd: null,
  costsMoney: false,
  warnings: [],
};

const { text: _, ...request } = ASKED;
const OFFERED: OfferedRound = { order: ORDER, provenance: null, request, plan: PLAN, needs: NEEDS };
const YES = { allow: ['/data', '/keys', '/out'], net: ['npm', 'full'] };

test('a person is told what an order needs, and what a yes adds to the request', () => {
  const needs = needsForPerson(ORDER, NEEDS);
  assert.deepEqual(needs?.yes, { allow: ['/keys', '/out'], net: ['full'] });
  assert.equal(needs?.refusal.code, 'E_PERMISSION_DENIED');
  assert.equal(needsForPerson(ORDER, { readPaths: [], writePaths: [], isWholeNetwork: false }), null);
});

test('the answers are added to the order as it was planned', () => {
  const given = { ...ASKED, ...YES, checks: ['make check'], agent: 'emma' };
  const found = answerOffer(OFFERED, ASKED, given);
  assert.deepEqual(found?.order.bounds, { allow: YES.allow, network: 'FULL' });
  assert.deepEqual(found?.needs, { readPaths: [], writePaths: [], isWholeNetwork: false });
  assert.deepEqual([found?.order.checks, found?.plan.checks], [['make check'], ['make check']]);
  assert.deepEqual(found?.plan.suggestedChecks, []);
  const { text: _text, ...flags } = given;
  assert.deepEqual(found?.request, flags);
  assert.deepEqual({ ...found?.order, bounds: 0, checks: 0 }, { ...ORDER, bounds: 0, checks: 0 });
});

test('what nobody allowed is still needed', () => {
  const found = answerOffer(OFFERED, ASKED, { ...ASKED, allow: ['/data', '/out'] });
  assert.deepEqual(found?.needs, { readPaths: ['../keys'], writePaths: [], isWholeNetwork: true });
  assert.equal(found?.order.bounds?.network, 'RESTRICTED');
});

const OTHERS: Readonly<Record<string, Partial<OrderRequest>>> = {
  'other words': { text: 'y' },
  'another cap': { budgetUsd: 5 },
  'a folder that was not needed': { allow: ['/data', '/elsewhere'] },
  'less than it was planned with': { allow: [] },
  'a network that was not needed': { net: ['npm', 'github'] },
  'a check that nobody suggested': { checks: ['rm -r /'] },
  'an agent that was not planned': { agent: 'critic' },
};

for (const [name, other] of Object.entries(OTHERS)) {
  test(`${name}: it is another order`, () => {
    assert.equal(answerOffer(OFFERED, ASKED, { ...ASKED, ...other }), null);
  });
}

test('a network that the order does not need is not part of its offer', () => {
  const needs = { ...NEEDS, isWholeNetwork: false };
  assert.equal(answerOffer({ ...OFFERED, needs }, ASKED, { ...ASKED, net: ['npm', 'full'] }), null);
});

test('the choice of auto stays as it was planned', () => {
  const auto = { ...ASKED, agent: 'auto' };
  const chosen = { ...OFFERED, request: { ...request, agent: 'emma' }, plan: { ...PLAN, chosen: 'the best so far' } };
  assert.equal(answerOffer(chosen, auto, auto)?.request?.agent, 'emma');
});
