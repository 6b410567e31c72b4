import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventView } from '../../api/contract.ts';
import { foldLines } from '../output/lines.ts';
import { styleFor } from '../output/style.ts';
import { orderLines } from './order-line.ts';

const NOW = Date.parse('2026-02-09T12:00:00Z');
const PLAIN = styleFor(NOW, false);

function orderLine(seen: EventView, style = PLAIN): string | null {
  const lines = orderLines(seen, style);
  return lines.length === 0 ? null : foldLines(lines, Number.POSITIVE_INFINITY);
}

function event(type: string, payload: EventView['payload']): EventView {
  return { type, payload } as EventView;
}

const check = (result: string, why = 'exit 1, expected 0') => ({
  id: 'npm test',
  kind: 'check',
  result,
  message: `npm test: ${why}`,
  why,
});
const IN_PLACE = { kind: 'in-place' };

const CASES: readonly (readonly [string, EventView['payload'], string | null])[] = [
  ['order.admitted', { agent: 'emma' }, null],
  ['order.snapshotted', { workplace: IN_PLACE, checks: [] }, null],
  ['order.snapshotted', { workplace: IN_PLACE, checks: [check('passed')] }, 'before  ✓ npm test'],
  ['order.snapshotted', { workplace: IN_PLACE, checks: [check('failed')] }, 'before  ✗ npm test: exit 1, expected 0'],
  ['order.snapshotted', { workplace: { kind: 'worktree', folder: '/w' }, checks: [] }, 'place   /w'],
  ['order.unanswered', { message: 'no agent answers to OTHER x' }, 'nobody  no agent answers to OTHER x'],
  ['run.launched', { run: 'run_1', pid: 7 }, 'started the agent is working'],
  ['run.launched', { run: 'run_1', pid: 7, resumed: 's-1' }, 'started the agent resumes its own session'],
  ['run.progressed', { percentage: 50, text: 'half' }, '        ██████████░░░░░░░░░░  50 %  half'],
  ['run.progressed', { percentage: 0, text: '' }, null],
  ['run.progressed', { percentage: 50, text: 'half', isForSender: true }, null],
  ['run.progressed', { percentage: 900, text: '' }, '        ████████████████████ 100 %'],
  ['run.progressed', { percentage: null, text: 'reading' }, '        reading'],
  ['run.progressed', { percentage: null, text: '' }, null],
  ['run.question_asked', { text: 'Which port?' }, 'asks    Which port?'],
  ['run.quota_reached', { message: 'No more today.', resetsAt: null }, 'quota   No more today.'],
  [
    'run.quota_reached',
    { message: 'No more.', resetsAt: '2026-02-09T18:00:00.000Z' },
    'quota   No more. (until 2026-02-09T18:00:00.000Z)',
  ],
  ['run.warned', { message: 'no output or heartbeat for 6 s' }, 'note    no output or heartbeat for 6 s'],
  ['run.exited', { end: 'finished', claim: 'SUCCESS' }, null],
  [
    'run.exited',
    { end: 'failed', code: 'E_TIMEOUT', message: 'it took too long' },
    'failed  it took too long (E_TIMEOUT)',
  ],
  ['run.exited', { end: 'stopped', by: 'operator' }, 'stopped by operator'],
  ['run.exited', { end: 'lost' }, 'lost    together with the node that started it'],
  ['run.collected', { violations: [] }, null],
  ['run.collected', { violations: ['x'] }, 'wrote   x, without a grant for it'],
  ['run.verified', { results: [check('passed'), check('not-checkable')] }, null],
  [
    'run.verified',
    { results: [check('passed'), check('failed'), check('could-not-run', 'npm is not here')] },
    'checks  2 not passed, 1 passed\n        ✗ npm test: exit 1, expected 0\n        ? npm test could not run: npm is not here',
  ],
  [
    'order.requeued',
    { dueAt: '2026-02-09T12:00:00Z', alternative: null },
    'again   retrying; the agent is told what failed',
  ],
  [
    'order.requeued',
    { dueAt: '2026-02-09T12:00:30Z', alternative: 0 },
    'again   retrying in 30 s, with another model; the agent is told what failed',
  ],
  [
    'order.requeued',
    { dueAt: '2026-02-09T12:00:00Z', alternative: 0, agent: 'magneto' },
    'again   retrying, with magneto; the agent is told what failed',
  ],
  [
    'order.rolled_back',
    {
      files: [
        { path: 'a', status: 'SUCCESS' },
        { path: 'b', status: 'FAILED' },
      ],
    },
    'back    a is restored\nback    b could not be restored',
  ],
  ['run.warned', { message: 'red\u001b[31m' }, 'note    red\\u001b[31m'],
];

for (const [type, payload, line] of CASES) {
  test(`${type} ${JSON.stringify(payload)} is told as ${JSON.stringify(line)}`, () => {
    assert.equal(orderLine(event(type, payload), PLAIN), line);
  });
}
