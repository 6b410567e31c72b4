import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REMOTE_ENDS, type RemoteView } from '../../api/task/remote-view.ts';
import { remoteText } from '../task/remote-text.ts';

const NOW_MS = Date.parse('2026-11-16T05:30:00Z');

const UNDER_WAY: RemoteView = {
  direction: 'sent',
  node: 'tower',
  agent: 'emma',
  to: ['emma@tower'],
  status: 'in_progress',
  ended: null,
  progress: 40,
  note: 'reads',
  etaAt: '2026-11-16T05:36:00Z',
  firstEtaAt: '2026-11-16T05:36:00Z',
  deadlineAt: null,
  isOverdue: true,
  toldAt: null,
  theirTask: null,
  silentSince: null,
  uid: 'uid',
  corrId: 'corr_1',
};

test('a task on another node is told with its progress and when it is expected', () => {
  assert.match(remoteText(UNDER_WAY, NOW_MS), /^on tower: in progress, 40 %: reads, expected by .*, late$/);
});

test('a task whose node is silent says so, and for how long', () => {
  const text = remoteText({ ...UNDER_WAY, silentSince: '2026-11-16T05:28:55Z' }, NOW_MS);
  assert.match(text, /^on tower: in progress, .*; tower silent for 65 s$/);
});

for (const ended of REMOTE_ENDS) {
  test(`a task that is ${ended} there is told so, and is expected no longer`, () => {
    assert.equal(remoteText({ ...UNDER_WAY, ended }, NOW_MS), `${ended} on tower`);
  });
}

test('a task for another node is expected until it has ended', () => {
  const received = { ...UNDER_WAY, direction: 'received', node: 'laptop', isOverdue: false } as const;
  assert.match(remoteText(received, NOW_MS), /^for emma on laptop, expected by /);
  assert.equal(remoteText({ ...received, ended: 'ended' }, NOW_MS), 'for emma on laptop');
});
