import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from '../refusal.ts';
import { type RouteCapability, type RouteFacts, type RouteNode, routeTask } from './route-task.ts';

const agent = (name: string, load = 0, slots = 1) => ({ name, load, slots });
const node = (agents: RouteNode['agents'], changes: Partial<RouteNode> = {}): RouteNode => ({
  isAlive: true,
  room: 8,
  agents,
  ...changes,
});
const offered = (eligibleAgentIds: string[], changes: Partial<RouteCapability> = {}): RouteCapability => ({
  status: 'active',
  version: '1.3.0',
  eligibleAgentIds,
  ...changes,
});

interface World {
  readonly nodes?: Record<string, RouteNode>;
  readonly owners?: Record<string, string>;
  readonly capabilities?: Record<string, RouteCapability>;
  readonly reviews?: Record<string, number>;
  readonly sent?: Record<string, number>;
}

const LEFT_AND_RIGHT: World = {
  nodes: { left: node([agent('emma')]), right: node([agent('critic'), agent('writer')]) },
  owners: { emma: 'left', critic: 'right', writer: 'right' },
};

function route(question: { to?: string[]; needs?: string[]; avoid?: string[] }, world: World = LEFT_AND_RIGHT) {
  const { nodes = {}, owners = {}, capabilities = {}, reviews = {}, sent = {} } = { ...LEFT_AND_RIGHT, ...world };
  const facts: RouteFacts = {
    nodeOf: (name) => nodes[name] ?? null,
    ownerOf: (name) => (owners[name] === undefined ? null : { node: owners[name], fence: 3 }),
    capability: (id) => capabilities[id] ?? null,
    openReviews: (id, name) => reviews[`${id} ${name}`] ?? 0,
    sentTo: (name) => sent[name] ?? 0,
  };
  const found = routeTask({ to: [], needs: [], ...question }, facts);
  return isRefusal(found) ? found.code : found.map((each) => `${each.agent} on ${each.node} by ${each.fence}`);
}

test('a target is an agent, an agent of one node, or a node', () => {
  assert.deepEqual(route({ to: ['critic'] }), ['critic on right by 3']);
  assert.deepEqual(route({ to: ['critic@right'] }), ['critic@right on right by null']);
  assert.deepEqual(route({ to: ['right'] }), ['right on right by null']);
  assert.deepEqual(route({ to: ['right', 'emma', 'right'] }), ['right on right by null', 'emma on left by 3']);
});

test('each refusal has its code', () => {
  const dead = { nodes: { right: node([agent('critic')], { isAlive: false }) } };
  const full = { nodes: { right: node([agent('critic')], { room: 0 }) } };
  const capabilities = { a: offered(['critic']), b: offered(['emma']), gone: offered([], { status: 'disabled' }) };
  assert.equal(route({}), 'no_route');
  assert.equal(route({ to: ['nobody'] }), 'invalid_targets');
  assert.equal(route({ to: ['critic', 'nobody'] }), 'invalid_targets');
  assert.equal(route({ to: ['stranger@right'] }), 'invalid_targets');
  assert.equal(route({ to: ['critic'] }, dead), 'owner_unavailable');
  assert.equal(route({ to: ['critic'] }, full), 'overloaded');
  assert.equal(route({ needs: ['a'] }), 'capability_unavailable');
  assert.equal(route({ needs: ['gone'] }, { capabilities }), 'capability_unavailable');
  assert.equal(route({ needs: ['a', 'b'] }, { capabilities }), 'no_route');
  assert.equal(route({ needs: ['a'] }, { ...dead, capabilities }), 'owner_unavailable');
  assert.equal(route({ needs: ['a'] }, { owners: {}, capabilities }), 'owner_unavailable');
  assert.equal(route({ needs: ['a'] }, { ...full, capabilities }), 'overloaded');
  assert.equal(route({ to: ['emma'], needs: ['a'] }, { capabilities }), 'capability_unavailable');
});

test('a task without a route says which fields it lacks', () => {
  const none = { nodeOf: () => null, ownerOf: () => null, capability: () => null };
  const refusal = routeTask({ to: [], needs: [] }, { ...none, openReviews: () => 0, sentTo: () => 0 });
  assert.ok(isRefusal(refusal));
  assert.deepEqual(refusal.details, ['missing_route_fields']);
});

test('a version asks for itself or a later one with the same first number', () => {
  const capabilities = { a: offered(['critic']) };
  for (const need of ['a', 'a@1', 'a@1.2.9', 'a@1.3.0'])
    assert.deepEqual(route({ needs: [need] }, { capabilities }), ['critic on right by 3'], need);
  for (const need of ['a@1.3.1', 'a@2.0.0', 'a@0.9.0'])
    assert.equal(route({ needs: [need] }, { capabilities }), 'version_incompatible', need);
});

test('with several capabilities an agent has all of them', () => {
  const capabilities = {
    a: offered(['critic', 'writer', 'emma']),
    b: offered(['writer', 'emma']),
    c: offered(['emma']),
  };
  assert.deepEqual(route({ needs: ['a', 'b', 'c'] }, { capabilities }), ['emma on left by 3']);
});

test('the least loaded does it, then the first by name; tasks on their way count', () => {
  const capabilities = { a: offered(['writer', 'critic', 'emma']) };
  assert.deepEqual(route({ needs: ['a'] }, { capabilities }), ['critic on right by 3']);
  const busy = { right: node([agent('critic', 2, 4), agent('writer', 3, 4)]), left: node([agent('emma', 1, 1)]) };
  assert.deepEqual(route({ needs: ['a'] }, { capabilities, nodes: busy }), ['critic on right by 3']);
  assert.deepEqual(route({ needs: ['a'] }, { capabilities, nodes: busy, sent: { critic: 4 } }), [
    'writer on right by 3',
  ]);
});

test('who has open reviews of a capability comes last, and is still better than nobody', () => {
  const capabilities = { a: offered(['critic', 'writer']) };
  const reviews = { 'a critic': 1 };
  assert.deepEqual(route({ needs: ['a'] }, { capabilities, reviews }), ['writer on right by 3']);
  const busy = { right: node([agent('critic'), agent('writer', 9)]) };
  assert.deepEqual(route({ needs: ['a'] }, { capabilities, reviews, nodes: busy }), ['writer on right by 3']);
  const both = { 'a critic': 1, 'a writer': 2 };
  assert.deepEqual(route({ needs: ['a'] }, { capabilities, reviews: both }), ['critic on right by 3']);
});

test('of several targets those that are not there are left out', () => {
  const nodes = { left: node([agent('emma')], { isAlive: false }), right: node([agent('critic')]) };
  assert.deepEqual(route({ to: ['emma', 'critic'] }, { nodes }), ['critic on right by 3']);
});

test('a node that is named together with a capability is its agent that offers it', () => {
  const capabilities = { a: offered(['emma', 'writer']) };
  assert.deepEqual(route({ to: ['right'], needs: ['a'] }, { capabilities }), ['writer on right by 3']);
  assert.equal(
    route({ to: ['right'], needs: ['a'] }, { capabilities: { a: offered(['emma']) } }),
    'capability_unavailable',
  );
});

test('a node that does not want the task is not asked again', () => {
  const capabilities = { a: offered(['critic', 'emma']) };
  assert.deepEqual(route({ needs: ['a'], avoid: ['right'] }, { capabilities }), ['emma on left by 3']);
  assert.equal(route({ to: ['critic'], avoid: ['right'] }), 'overloaded');
});

test('a deprecated capability is still routed to', () => {
  const capabilities = { a: offered(['critic'], { status: 'deprecated' }) };
  assert.deepEqual(route({ needs: ['a'] }, { capabilities }), ['critic on right by 3']);
});
