import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aTask } from '../../../test/support/task/a-task.ts';
import { decideSender } from './decide-sender.ts';

const SENDERS = ['swe-backend', 'swe-qa', 'operator'];
const CHANNELS = [null, 'run_now', 'run_before'];
const HOLDERS = [null, 'swe-backend', 'swe-qa', 'operator'];
const ROUTES = [null, 'swe-backend', 'swe-qa'];
const RUNS = [null, 'run_now'];

/** aof:senders, independent of the code: first the run, then the operator, then the holder, then the route. */
function expected(facts: Facts): string {
  const { fromAgent, channelRun, holder, route, runId } = facts;
  if (channelRun !== null && channelRun !== runId) return 'stale_run';
  if (fromAgent === 'operator') return 'heard';
  const mayKnow = [holder === 'operator' ? null : holder, route].find((agent) => agent !== null) ?? null;
  return mayKnow === null || mayKnow === fromAgent ? 'heard' : 'unauthorized_agent';
}

interface Facts {
  readonly fromAgent: string;
  readonly channelRun: string | null;
  readonly holder: string | null;
  readonly route: string | null;
  readonly runId: string | null;
}

const TABLE: Facts[] = SENDERS.flatMap((fromAgent) =>
  CHANNELS.flatMap((channelRun) =>
    HOLDERS.flatMap((holder) =>
      ROUTES.flatMap((route) => RUNS.map((runId) => ({ fromAgent, channelRun, holder, route, runId }))),
    ),
  ),
);

function decided({ route, runId, ...facts }: Facts): string {
  const decision = decideSender(aTask({ runId, routing: { ...aTask().routing, agent: route } }), facts);
  return decision.kind === 'heard' ? 'heard' : decision.reason;
}

test(`who may speak of a task, all ${TABLE.length} cases`, () => {
  for (const facts of TABLE) assert.equal(decided(facts), expected(facts), JSON.stringify(facts));
});

test('the cases that aof:senders names', () => {
  const held = { fromAgent: 'swe-qa', channelRun: null, holder: 'swe-backend', route: null, runId: 'run_now' };
  assert.equal(decided(held), 'unauthorized_agent');
  assert.equal(decided({ ...held, fromAgent: 'swe-backend' }), 'heard');
  assert.equal(decided({ ...held, fromAgent: 'operator' }), 'heard');
  assert.equal(decided({ ...held, holder: null, runId: null }), 'heard');
  assert.equal(decided({ ...held, fromAgent: 'swe-backend', channelRun: 'run_before' }), 'stale_run');
  assert.equal(decided({ ...held, fromAgent: 'operator', channelRun: 'run_before' }), 'stale_run');
});
