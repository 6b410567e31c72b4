import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentSignal } from '../agent/agent-signal.ts';
import { activityOf, addSign, noSigns, type RunSigns, setAsked } from './activity.ts';

type Step = readonly [afterMs: number, signal: AgentSignal | 'asked' | 'answered'];

const begun = (id: string, name: string): AgentSignal => ({ kind: 'tool', state: 'begun', id, name, input: '{}' });
const ended = (id: string, name: string): AgentSignal => ({
  ...{ kind: 'tool', state: 'ended', id, name, result: '', isSuccess: true },
});
const THOUGHT: AgentSignal = { kind: 'thought', text: 'hm' };
const OUTPUT: AgentSignal = { kind: 'output', stream: 'stdout', text: 'x' };
const RETRY: AgentSignal = { kind: 'retrying', attempt: 1, status: 529, message: 'busy' };

/** The activity and its age in seconds, so long after the start. */
function after(steps: readonly Step[], atMs: number): string {
  let signs: RunSigns = noSigns(1_000);
  for (const [afterMs, step] of steps) {
    const now = 1_000 + afterMs;
    signs = typeof step === 'string' ? setAsked(signs, step === 'asked', now) : addSign(signs, step, now);
  }
  const { text, ageMs } = activityOf(signs, 1_000 + atMs);
  return `${text} for ${ageMs / 1_000} s`;
}

const CASES: Record<string, { steps: readonly Step[]; atMs: number; says: string }> = {
  'before its first sign it is starting': { steps: [], atMs: 5_000, says: 'starting for 5 s' },
  'a start without a sign for long is silence': { steps: [], atMs: 90_000, says: 'silent for 90 s' },
  'an agent that prints is working': { steps: [[2_000, OUTPUT]], atMs: 5_000, says: 'working for 3 s' },
  'one that thinks is thinking': { steps: [[2_000, THOUGHT]], atMs: 5_000, says: 'thinking for 3 s' },
  'a tool has its name': { steps: [[2_000, begun('1', 'Bash')]], atMs: 5_000, says: 'tool Bash for 3 s' },
  'a tool that takes long is not silence': {
    steps: [[2_000, begun('1', 'Bash')]],
    atMs: 302_000,
    says: 'tool Bash for 300 s',
  },
  'after a tool it thinks': {
    steps: [
      [2_000, begun('1', 'Bash')],
      [4_000, ended('1', 'Bash')],
    ],
    atMs: 5_000,
    says: 'thinking for 1 s',
  },
  'of two tools the one that still runs counts': {
    steps: [
      [2_000, begun('1', 'Bash')],
      [3_000, begun('2', 'Read')],
      [4_000, ended('1', 'Bash')],
    ],
    atMs: 5_000,
    says: 'tool Read for 2 s',
  },
  'retries count from the first': {
    steps: [
      [2_000, RETRY],
      [9_000, RETRY],
    ],
    atMs: 12_000,
    says: 'retrying the model for 10 s',
  },
  'an answer ends them': {
    steps: [
      [2_000, RETRY],
      [9_000, THOUGHT],
    ],
    atMs: 12_000,
    says: 'thinking for 10 s',
  },
  'silence has its age': {
    steps: [[2_000, THOUGHT]],
    atMs: 182_000,
    says: 'silent for 180 s',
  },
  'a question waits for you, however long': {
    steps: [
      [2_000, begun('1', 'Bash')],
      [3_000, 'asked'],
    ],
    atMs: 600_000,
    says: 'waiting for you for 597 s',
  },
  'an answered one does not': {
    steps: [
      [3_000, 'asked'],
      [9_000, 'answered'],
      [9_500, THOUGHT],
    ],
    atMs: 10_000,
    says: 'thinking for 1 s',
  },
  'a quota is waited for': {
    steps: [[3_000, { kind: 'quota', message: 'no more', resets: null, scope: null }]],
    atMs: 4_000,
    says: 'waiting for quota for 1 s',
  },
  'finished work is ending': { steps: [[3_000, { kind: 'finished' }]], atMs: 4_000, says: 'ending for 1 s' },
};

for (const [what, { steps, atMs, says }] of Object.entries(CASES)) {
  test(`activity: ${what}`, () => assert.equal(after(steps, atMs), says));
}
