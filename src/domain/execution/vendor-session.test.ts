import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import {
  ended,
  executionOf,
  FINISHED,
  failedBy,
  launched,
  leased,
  NO_SPEND,
  sessionOpened,
} from '../../../test/support/run/an-execution.ts';
import type { AttemptEnd, Fact } from './fact.ts';
import { isSessionRefused, sessionToResume } from './vendor-session.ts';

const attempts = (...facts: (Fact | readonly Fact[])[]) => executionOf(anOrder(), ...facts).attempts;

interface SeenSession {
  readonly session?: string;
  readonly resumed?: string;
  readonly agent?: string;
  readonly tokens?: number;
}

function ran(
  runId: string,
  end: AttemptEnd,
  { session, resumed, agent = 'emma', tokens = 0 }: SeenSession = {},
): Fact[] {
  return [
    leased(runId, { agent }),
    launched(runId, resumed === undefined ? {} : { resumed }),
    ...(session === undefined ? [] : [sessionOpened(runId, session)]),
    ended(runId, end, { spend: { ...NO_SPEND, tokensInput: tokens, tokensOutput: tokens / 2, costUsd: tokens / 64 } }),
  ];
}

test('a first attempt begins a session', () => {
  assert.equal(sessionToResume(attempts(leased('r1'))), null);
});

test('the next attempt of the same agent resumes its session, however the last one ended', () => {
  const ends: AttemptEnd[] = [
    FINISHED,
    failedBy('timeout'),
    failedBy('process-crashed'),
    { kind: 'lost' },
    { kind: 'stopped', by: 'me' },
  ];
  for (const end of ends) {
    const all = attempts(ran('r1', end, { session: 's-1' }), leased('r2'));
    assert.equal(sessionToResume(all)?.id, 's-1', end.kind);
  }
});

test('another agent begins a session of its own, and the first one finds its own again later', () => {
  const first = ran('r1', failedBy('model-unavailable'), { session: 's-1' });
  const other = ran('r2', failedBy('timeout'), { agent: 'nina', session: 'n-1' });
  assert.equal(sessionToResume(attempts(first, leased('r2', { agent: 'nina' }))), null);
  assert.equal(sessionToResume(attempts(first, other, leased('r3')))?.id, 's-1');
});

test('the spend in the session is that of all its runs, and of no other session', () => {
  const all = attempts(
    ran('r1', FINISHED, { session: 's-0', tokens: 1_000 }),
    ran('r2', FINISHED, { session: 's-1', tokens: 128 }),
    ran('r3', FINISHED, { session: 's-1', resumed: 's-1', tokens: 64 }),
    leased('r4'),
  );
  assert.deepEqual(sessionToResume(all), { id: 's-1', spent: { costUsd: 3, tokensInput: 192, tokensOutput: 96 } });
});

test('a session that the vendor did not take up again is not tried again, nor one that broke down after a resume', () => {
  const first = ran('r1', FINISHED, { session: 's-1' });
  const refused = ran('r2', failedBy('process-crashed'), { resumed: 's-1' });
  assert.equal(sessionToResume(attempts(first, refused, leased('r3'))), null);
  const broken = ran('r2', failedBy('process-crashed'), { resumed: 's-1', session: 's-1' });
  assert.equal(sessionToResume(attempts(first, broken, leased('r3'))), null);
  const late = ran('r2', failedBy('timeout'), { resumed: 's-1', session: 's-1' });
  assert.equal(sessionToResume(attempts(first, late, leased('r3')))?.id, 's-1');
});

test('an id that a command line would take for a flag, or that is not one word, is never passed on', () => {
  for (const session of ['--yolo', '-c', 'a b', 'x\n', '', '../a', 'a'.repeat(129)]) {
    assert.equal(sessionToResume(attempts(ran('r1', FINISHED, { session }), leased('r2'))), null, session);
  }
});

test('a session is refused only if a resumed agent crashed before it opened one', () => {
  const is = (end: AttemptEnd, seen: SeenSession) => isSessionRefused(attempts(ran('r1', end, seen))[0] as never);
  assert.equal(is(failedBy('process-crashed'), { resumed: 's-1' }), true);
  assert.equal(is(failedBy('process-crashed'), {}), false);
  assert.equal(is(failedBy('process-crashed'), { resumed: 's-1', session: 's-1' }), false);
  assert.equal(is(failedBy('permission-denied'), { resumed: 's-1' }), false);
  assert.equal(is({ kind: 'lost' }, { resumed: 's-1' }), false);
  assert.equal(is(FINISHED, { resumed: 's-1' }), false);
  const unstarted: AttemptEnd = { ...failedBy('process-crashed'), isNotStarted: true } as AttemptEnd;
  assert.equal(is(unstarted, { resumed: 's-1' }), false);
});
