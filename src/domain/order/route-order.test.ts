import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JudgedOrder } from '../agent/agent-stats.ts';
import { type Candidate, type RoutingQuestion, routeOrder } from './route-order.ts';

const AGENTS: readonly Candidate[] = ['emma', 'forge', 'magneto'].map((name) => ({
  name,
  driver: 'process',
  isHeld: false,
}));

function ended(agent: string, results: string, more: Partial<JudgedOrder> = {}): JudgedOrder[] {
  return [...results].map((letter) => ({
    agent,
    category: 'TESTING',
    repository: '/r',
    verdict: letter === '-' ? 'failed' : 'checked',
    attempts: letter === '2' ? 2 : 1,
    startedAt: 0,
    completedAt: 10_000,
    spend: [],
    ...more,
  }));
}

function asked(orders: readonly JudgedOrder[], more: Partial<RoutingQuestion> = {}) {
  const found = routeOrder({
    candidates: AGENTS,
    defaultAgent: null,
    category: 'TESTING',
    repository: '/r',
    ended: orders,
    ...more,
  });
  assert.ok(found !== null);
  return found;
}

test('the agent that succeeds most often is chosen, and the reason says so in one line', () => {
  const { agent, reason, evidence } = asked([...ended('emma', '11--'), ...ended('forge', '1111')]);
  assert.equal(agent, 'forge');
  assert.match(reason, /^forge: 4 of 4 TESTING orders in this repository succeeded, 100 % at the first try/);
  assert.match(reason, /magneto 0 of 0, emma 2 of 4$/);
  assert.deepEqual(
    evidence.map((each) => each.agent),
    ['forge', 'magneto', 'emma'],
  );
});

test('of equal success the first try decides, then the time, then the cost', () => {
  assert.equal(asked([...ended('emma', '2222'), ...ended('forge', '1111')]).agent, 'forge');
  const slow = ended('emma', '1111', { completedAt: 60_000 });
  assert.equal(asked([...slow, ...ended('forge', '1111')]).agent, 'forge');
  const spend = [{ provider: 'OTHER', model: 'm', costUsd: 1, tokensInput: 0, tokensOutput: 0, tokens: 0 }] as never;
  assert.equal(asked([...ended('emma', '1111', { spend }), ...ended('forge', '1111')]).agent, 'forge');
});

test('one success of one proves less than nine of ten', () => {
  assert.equal(asked([...ended('emma', '1'), ...ended('forge', '111111111-')]).agent, 'forge');
});

test('an agent that always failed is passed over for one that nobody has tried', () => {
  assert.equal(asked(ended('emma', '----')).agent, 'forge');
});

test('other categories and repositories count where the own ones are too few', () => {
  const elsewhere = ended('magneto', '1111', { repository: '/other' });
  const { agent, reason } = asked([...ended('emma', '1'), ...elsewhere]);
  assert.equal(agent, 'magneto');
  assert.match(reason, /TESTING orders in any repository/);
});

test('without evidence the default agent is chosen, else the first, and the reason says that', () => {
  assert.match(asked([], { defaultAgent: 'forge' }).reason, /^forge: no evidence yet.*default agent$/);
  assert.match(asked(ended('emma', '1')).reason, /^emma: no evidence yet.*first that is ready$/);
});

test('an agent out of quota is chosen only if all are, and demo never', () => {
  const held = AGENTS.map((agent) => ({ ...agent, isHeld: agent.name === 'emma' }));
  assert.equal(asked([], { candidates: held }).agent, 'forge');
  assert.equal(asked([], { candidates: AGENTS.map((agent) => ({ ...agent, isHeld: true })) }).agent, 'emma');
  const demo = { candidates: [{ name: 'demo', driver: 'demo', isHeld: false }], defaultAgent: null } as const;
  assert.equal(routeOrder({ ...demo, category: null, repository: '/r', ended: [] }), null);
});
