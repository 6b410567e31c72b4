import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTICE_ATTEMPTS_MAX, NOTICES_WAITING_MAX } from '../session/session-limits.ts';
import type { Notice } from './notice.ts';
import { addNotices, type NoticePlace, nextNotice, noteFailed, noteTold } from './plan-notices.ts';

const EMPTY: NoticePlace = { seq: 0, waiting: [], toldAt: {} };

function notice(seq: number, subject = 'TASK-1', text = `text ${seq}`): Notice {
  const about = { subject, title: subject, task: subject, session: null, at: seq };
  return { id: `ntc_${seq}`, kinds: ['failed'], texts: [text], ...about };
}

function withNotices(place: NoticePlace, ...notices: readonly Notice[]): NoticePlace {
  return addNotices(place, { notices, seq: place.seq + notices.length, sending: null }).place;
}

test('notices of one subject that wait become one, with the news of both', () => {
  const place = withNotices(EMPTY, notice(1), { ...notice(2), kinds: ['blocked'] }, notice(3, 'TASK-2'));
  assert.equal(place.waiting.length, 2);
  const { id, kinds, texts } = place.waiting[0]?.notice ?? assert.fail();
  assert.deepEqual({ id, kinds, texts }, { id: 'ntc_1', kinds: ['failed', 'blocked'], texts: ['text 1', 'text 2'] });
});

test('news about a subject whose notice is on its way are a notice of their own', () => {
  const place = withNotices(EMPTY, notice(1));
  const { waiting } = addNotices(place, { notices: [notice(2)], seq: 2, sending: 'ntc_1' }).place;
  assert.deepEqual(
    waiting.map((each) => each.notice.id),
    ['ntc_1', 'ntc_2'],
  );
});

test('a subject is told once a minute, others at once', () => {
  const place = noteTold(withNotices(EMPTY, notice(1)), notice(1), 1_000).place;
  const again = withNotices(place, notice(2), notice(3, 'TASK-2'));
  assert.equal(nextNotice(again, 2_000)?.id, 'ntc_3');
  const after = noteTold(again, notice(3, 'TASK-2'), 2_000).place;
  assert.equal(nextNotice(after, 60_999), null);
  assert.equal(nextNotice(after, 61_000)?.id, 'ntc_2');
});

test('a failed notice is tried again later and later, then it is a dead letter', () => {
  let place = withNotices(EMPTY, notice(1));
  let now = 0;
  for (let attempts = 1; attempts < NOTICE_ATTEMPTS_MAX; attempts++) {
    const after = noteFailed(place, notice(1), { error: 'no answer', isLasting: false, nowMs: now });
    assert.deepEqual(after.lost, []);
    place = after.place;
    assert.equal(nextNotice(place, now), null);
    now = place.waiting[0]?.dueAt ?? 0;
    assert.equal(nextNotice(place, now)?.id, 'ntc_1');
  }
  assert.ok(now >= 600_000, `${now} ms`);
  const last = noteFailed(place, notice(1), { error: 'no answer', isLasting: false, nowMs: now });
  assert.deepEqual([last.place.waiting, last.lost.map(({ error }) => error)], [[], ['no answer']]);
});

test('a lasting failure is a dead letter at once', () => {
  const { lost } = noteFailed(withNotices(EMPTY, notice(1)), notice(1), { error: '404', isLasting: true, nowMs: 0 });
  assert.equal(lost.length, 1);
});

test('a place that is never reached keeps a bounded number of notices', () => {
  const many = Array.from({ length: NOTICES_WAITING_MAX + 5 }, (_, at) => notice(at, `TASK-${at}`));
  const { place, lost } = addNotices(EMPTY, { notices: many, seq: many.length, sending: null });
  assert.deepEqual([place.waiting.length, lost.length], [NOTICES_WAITING_MAX, 5]);
});
