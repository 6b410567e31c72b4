import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../../test/support/test-clock.ts';
import { expiryAfter } from '../now.ts';
import type { Enrolment, Invite, RefreshToken } from './external-agent.ts';
import { INVITE_MS_MAX } from './external-limits.ts';
import { judgeRefresh, refuseInvite } from './judge-invite.ts';

const DAY = 86_400_000;

function anInvite(clock: TestClock, facts: Partial<Invite> = {}): Invite {
  const now = clock.now();
  const fresh = { usedAt: null, revokedAt: null, enrolmentId: null };
  const expires = expiryAfter(now, INVITE_MS_MAX);
  return { id: 'inv_1', agent: 'ext', scopes: ['task.read'], createdAt: now.wallMs, expires, ...fresh, ...facts };
}

test('an invite counts once and until its end', () => {
  const clock = new TestClock();
  const code = (facts: Partial<Invite> = {}) => refuseInvite(anInvite(clock, facts), clock.now())?.code ?? 'usable';
  assert.equal(code(), 'usable');
  assert.equal(code({ usedAt: 1 }), 'invite_used');
  assert.equal(code({ revokedAt: 1 }), 'invalid_invite');
  assert.equal(refuseInvite(null, clock.now())?.code, 'invalid_invite');
  const invite = anInvite(clock);
  clock.step(INVITE_MS_MAX - 1);
  assert.equal(refuseInvite(invite, clock.now()), null);
  clock.step(1);
  assert.equal(refuseInvite(invite, clock.now())?.code, 'expired_invite');
});

test('a clock that is set back does not prolong an invite, nor one set ahead end it', () => {
  const clock = new TestClock();
  const invite = anInvite(clock);
  clock.jumpWall(DAY);
  assert.equal(refuseInvite(invite, clock.now()), null);
  clock.jumpWall(-2 * DAY);
  clock.step(INVITE_MS_MAX);
  assert.equal(refuseInvite(invite, clock.now())?.code, 'expired_invite');
});

test('a refresh token is for its key, once, and its second use by that key tells of a copy', () => {
  const clock = new TestClock();
  const enrolment: Enrolment = {
    ...{ id: 'xs_1', agent: 'ext', thumbprint: 'key', scopes: ['task.read'], inviteId: 'inv_1' },
    ...{ enrolledAt: 0, revokedAt: null, revokedWhy: null },
  };
  const token: RefreshToken = { hash: 'h', enrolmentId: 'xs_1', expires: expiryAfter(clock.now(), DAY), usedAt: null };
  const facts = { token, enrolment, thumbprint: 'key' };
  const kind = (changed: Partial<typeof facts>) => judgeRefresh({ ...facts, ...changed }, clock.now()).kind;
  assert.equal(kind({}), 'rotate');
  assert.equal(kind({ token: { ...token, usedAt: 1 } }), 'reused');
  assert.equal(kind({ thumbprint: 'other' }), 'refused');
  assert.equal(kind({ token: { ...token, usedAt: 1 }, thumbprint: 'other' }), 'refused');
  assert.equal(kind({ enrolment: { ...enrolment, revokedAt: 1 } }), 'refused');
  assert.equal(judgeRefresh({ ...facts, token: null }, clock.now()).kind, 'refused');
  clock.step(DAY);
  assert.equal(kind({}), 'refused');
});
