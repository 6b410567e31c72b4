import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventSentence } from './event-sentence.ts';
import { EVENT_TYPES } from './ledger-event.ts';

function shown(type: string, payload: Readonly<Record<string, unknown>> = {}): string {
  return eventSentence({ type, payload }, { at: (instant) => instant, duration: (ms) => `${ms} ms` });
}

const SENTENCES: readonly (readonly [type: string, payload: Readonly<Record<string, unknown>>, text: string])[] = [
  ['order.admitted', { agent: 'emma' }, 'accepted the order for emma'],
  ['order.admitted', { agent: null }, 'accepted the order'],
  ['order.admitted', { agent: 'emma', sandbox: 'none' }, 'accepted the order for emma, not sandboxed'],
  ['order.snapshotted', { files: 1, checks: [] }, 'recorded the state before the work'],
  ['order.requeued', { dueAt: '14:02' }, 'queued it again for 14:02'],
  [
    'task.answered',
    { node: 'tower', signal: 'PARTIAL_SUCCESS', isUnchecked: true, message: 'no checks were defined' },
    'answered from tower: unchecked (no checks were defined)',
  ],
  ['order.settled', { signal: 'FAILURE', message: 'npm test: exit 1' }, 'settled the order: failed (npm test: exit 1)'],
  ['order.rolled_back', { files: [{}, {}] }, 'rolled back 2 files'],
  ['order.reported', {}, 'wrote the report'],
  ['work.continued', { inTask: 'TASK-2026-02-09-058' }, 'handed its worktree over to TASK-2026-02-09-058'],
  ['run.launched', { pid: 1 }, 'started the agent'],
  ['run.launched', { pid: 1, resumed: 's-1' }, 'started the agent, to resume its session s-1'],
  ['run.progressed', { percentage: 50, text: 'half' }, 'reported progress: 50 %, half'],
  ['run.progressed', { percentage: null, text: 'half' }, 'reported progress: half'],
  ['run.exited', { end: 'finished' }, 'recorded the end of the agent: finished'],
  ['run.collected', { changed: 2 }, 'found 2 changed files'],
  ['run.verified', { results: [{ result: 'passed' }, { result: 'failed' }] }, 'checked the work: 1 of 2 checks passed'],
  ['run.verified', { results: [] }, 'checked the work: no checks'],
  ['turn.recorded', { turnIndex: 3 }, 'ended turn 4'],
  [
    'trace.event_recorded',
    { kind: 'THOUGHT_STREAM', message: { payload: { chunk: 'First the tests.\nThen' } } },
    'thinks: First the tests.',
  ],
  [
    'trace.event_recorded',
    { kind: 'TOOL_LIFECYCLE_COMPLETED', message: { payload: { tool: 'bash', status: 'failure' } } },
    'completed bash: failure',
  ],
  ['trace.event_recorded', { kind: 'COVERAGE' }, 'recorded COVERAGE'],
  ['workspace.recorded', { turnIndex: 0 }, 'saved the files after turn 1'],
  ['task.transitioned', { from: 'a', to: 'b', reason: 'two\nlines' }, 'moved it from a to b (two)'],
  ['machine.slept', { ms: 5 }, 'noticed that the machine slept 5 ms'],
  ['run.ended', { status: 'failed', reason: 'a_b c_d' }, 'ended its run, failed (a_b c_d)'],
];

for (const [type, payload, text] of SENTENCES) {
  test(`${type} is shown as: ${text}`, () => assert.equal(shown(type, payload), text));
}

test('every known type has a sentence; the name of an unknown type is shown', () => {
  for (const type of EVENT_TYPES) assert.notEqual(shown(type), type);
  assert.equal(shown('constructor'), 'constructor');
});
