import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReviewGlance } from '../review/describe-review.ts';
import type { ReviewedWork } from '../review/judge-review-risk.ts';
import type { Question } from './question.ts';
import { type AttentionFacts, rankAttention, type TaskForPerson, type WaitingReview } from './rank-attention.ts';
import type { TaskName } from './task.ts';

const NOTHING: AttentionFacts = {
  reviews: [],
  undecided: [],
  blocked: [],
  questions: [],
  incidents: [],
  overlaps: [],
  capabilities: [],
};
const name = (number: number) => `TASK-2026-11-17-${String(number).padStart(3, '0')}` as TaskName;

const waiting = (number: number, status: 'review' | 'blocked' | 'deadletter', isOrdered = true): TaskForPerson => ({
  task: { id: name(number), title: `Task ${number}`, status, lastTransitionAt: number },
  reason: { reason: 'no credentials\nat all', cause: null },
  seq: 40 + number,
  isOrdered,
});

const WORK: ReviewedWork = {
  objective: 'Add tests',
  outputs: [],
  isUnchecked: false,
  message: 'every check passed',
  checks: [{ id: 'npm test', before: 'failed', after: 'passed', change: 'fixed' }],
  oldTests: null,
  files: [{ path: 'src/a.ts', status: 'updated' }],
  lines: { added: 3, removed: 1 },
  violations: [],
};
const review = (number: number, work: Partial<ReviewedWork> | null): WaitingReview => ({
  ...waiting(number, 'review', work !== null),
  work: work && { ...WORK, ...work },
});

const question = (number: number, of: Partial<Question>): AttentionFacts['questions'][number] => ({
  title: `Task ${number}`,
  question: {
    id: `qst_${number}`,
    taskId: name(number),
    runId: null,
    kind: 'permission',
    what: 'use Bash: npm i',
    where: null,
    why: null,
    options: ['yes', 'no'],
    defaultOption: 'no',
    askedAt: number,
    deadlineAt: null,
    answer: null,
    ...of,
  },
});

test('the queue begins with what has a deadline and ends with blocked tasks and reviews of capabilities', () => {
  const undecided = {
    id: 'fbk_1',
    taskId: null,
    subject: 'plan.md',
    reviewers: ['critic'],
    findings: 2,
    since: 1,
  };
  const incident = { id: 'inc_1', kind: 'tree_unwritable', taskId: null, detail: 'no space', openedAt: 1 };
  const overlap = {
    id: 'ovl_1',
    taskId: name(7),
    title: 'Task 7',
    why: 'both change a.ts',
    actions: ['stop'],
    since: 1,
  };
  const ranked = rankAttention({
    reviews: [review(1, {})],
    undecided: [undecided],
    blocked: [waiting(2, 'blocked')],
    questions: [
      question(3, { kind: 'budget', what: 'spend $5 more' }),
      question(4, {}),
      question(5, { deadlineAt: 900 }),
      question(6, { deadlineAt: 300 }),
    ],
    incidents: [incident],
    overlaps: [overlap],
    capabilities: [{ id: 'rev_1', capabilityId: 'cap.a', why: 'sla_breach: late', since: 0 }],
  });
  assert.deepEqual(
    ranked.map(({ kind, taskId }) => [kind, taskId]),
    [
      ['question', name(6)],
      ['question', name(5)],
      ['question', name(4)],
      ['overlap', name(7)],
      ['budget', name(3)],
      ['incident', null],
      ['review', null],
      ['review', null],
      ['review', name(1)],
      ['blocked', name(2)],
    ],
  );
});

test('work in review is ranked by its gravest risk, then by the others, then by age', () => {
  const large = { lines: { added: 390, removed: 10 } };
  const weakened = { files: [{ path: 'test/a.test.ts', status: 'deleted' }], checks: [] } as const;
  const ranked = rankAttention({
    ...NOTHING,
    reviews: [
      review(1, {}),
      review(2, { objective: 'Fix src/b.ts' }),
      review(3, large),
      review(4, weakened),
      review(5, { isUnchecked: true, checks: [] }),
      review(6, { ...weakened, isUnchecked: true }),
      review(7, null),
      review(8, {}),
    ],
  });
  assert.deepEqual(
    ranked.map(({ taskId, risk }) => [Number(taskId?.slice(-3)), risk]),
    [
      [6, 'unchecked'],
      [5, 'unchecked'],
      [7, 'unchecked'],
      [4, 'tests weakened'],
      [3, 'large diff'],
      [2, 'outside the objective'],
      [1, null],
      [8, null],
    ],
  );
});

test('work that another agent reviews at this moment comes after work that waits for a person alone', () => {
  const glance: ReviewGlance = {
    feedback: 'fbk_1',
    reviewers: ['critic'],
    isByPerson: false,
    state: 'asking',
    round: 1,
    roundsMax: 2,
    fates: { open: 0, disputed: 0, rejected: 0, partial: 0, accepted: 0 },
    text: 'critic reviews it, round 1 of at most 2',
  };
  const under = { ...review(1, { isUnchecked: true, checks: [] }), reviews: [glance] };
  const over = { ...review(3, {}), reviews: [{ ...glance, state: 'over', text: 'critic finds nothing' } as const] };
  const ranked = rankAttention({ ...NOTHING, reviews: [under, review(2, {}), over] });
  assert.deepEqual(
    ranked.map(({ taskId }) => Number(taskId?.slice(-3))),
    [2, 3, 1],
  );
  assert.match(ranked[1]?.why ?? '', /critic finds nothing$/);
});

test('an entry says why it waits, what settles it, and what happens by itself', () => {
  const [asked] = rankAttention({ ...NOTHING, questions: [question(1, { why: 'it needs vite', deadlineAt: 7 })] });
  assert.deepEqual(asked, {
    id: 'qst_1',
    kind: 'question',
    taskId: name(1),
    title: 'Task 1',
    why: 'may it use Bash: npm i? why: it needs vite',
    actions: ['yes', 'no'],
    deadlineAt: 7,
    defaultAction: 'no',
    risk: null,
    since: 1,
  });
  const [reviewed] = rankAttention({ ...NOTHING, reviews: [review(2, { objective: 'Fix src/b.ts' })] });
  assert.deepEqual(
    [reviewed?.id, reviewed?.why, reviewed?.actions, reviewed?.defaultAction],
    [
      'review_TASK-2026-11-17-002_42',
      'outside the objective: src/a.ts; 1 of 1 checks passed; +3 -1 in 1 file',
      ['approve', 'return'],
      null,
    ],
  );
  const [claimed] = rankAttention({ ...NOTHING, reviews: [review(3, null)] });
  assert.equal(claimed?.why, 'unchecked: Baton ran no check; no credentials');
  const blocked = rankAttention({ ...NOTHING, blocked: [waiting(4, 'deadletter'), waiting(5, 'blocked', false)] });
  assert.deepEqual(
    blocked.map(({ id, why, actions }) => [id, why, actions]),
    [
      ['blocked_TASK-2026-11-17-004_44', 'no credentials', ['retry', 'continue', 'cancel']],
      ['blocked_TASK-2026-11-17-005_45', 'no credentials', ['retry', 'cancel']],
    ],
  );
});

test('a blocked task with an open question stands in the queue once', () => {
  const ranked = rankAttention({
    ...NOTHING,
    blocked: [waiting(1, 'blocked'), waiting(2, 'blocked')],
    questions: [question(1, { kind: 'budget' })],
  });
  assert.deepEqual(
    ranked.map(({ id }) => id),
    ['qst_1', 'blocked_TASK-2026-11-17-002_42'],
  );
});
