import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REVIEW_LARGE_FILES, REVIEW_LARGE_LINES } from '../limits.ts';
import { judgeReviewRisk, type ReviewedWork, sizeText } from './judge-review-risk.ts';

const PASSED = { id: 'npm test', before: null, after: 'passed', change: 'passed' } as const;
const WORK: ReviewedWork = {
  objective: 'Make it faster',
  outputs: [],
  isUnchecked: false,
  message: 'every check passed',
  checks: [PASSED],
  oldTests: null,
  files: [{ path: 'src/a.ts', status: 'updated' }],
  lines: null,
  violations: [],
};
const oldTests = (result: 'passed' | 'failed' | 'not-compared') => ({ files: ['test/a.test.ts'], result, message: '' });
const files = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ path: `src/f${at}.ts`, status: 'created' as const }));

const JUDGED: readonly (readonly [what: string, change: Partial<ReviewedWork>, found: readonly string[]])[] = [
  ['checked work', {}, []],
  [
    'work that no check judged',
    { isUnchecked: true, message: 'no checks were defined' },
    ['unchecked: no checks were defined'],
  ],
  ['changed tests that pass as before', { oldTests: oldTests('passed') }, []],
  [
    'checks that pass only with the changed tests',
    { oldTests: oldTests('failed') },
    ['tests weakened: test/a.test.ts changed, and the checks fail without that'],
  ],
  [
    'changed tests that could not be compared',
    { oldTests: oldTests('not-compared') },
    ['tests weakened: test/a.test.ts'],
  ],
  ['changed tests without any check', { checks: [], oldTests: oldTests('passed') }, ['tests weakened: test/a.test.ts']],
  [
    'removed tests without any check',
    {
      checks: [],
      files: [
        { path: 'spec/b.rb', status: 'deleted' },
        { path: 'x_test.go', status: 'updated' },
      ],
    },
    ['tests weakened: spec/b.rb and 1 more'],
  ],
  ['new tests', { checks: [], files: [{ path: 'test/b.test.ts', status: 'created' }] }, []],
  ['a line less than many', { lines: { added: REVIEW_LARGE_LINES - 1, removed: 0 } }, []],
  ['many lines', { lines: { added: REVIEW_LARGE_LINES - 8, removed: 8 } }, ['large diff: +392 -8 in 1 file']],
  ['a file less than many', { files: files(REVIEW_LARGE_FILES - 1) }, []],
  ['many files', { files: files(REVIEW_LARGE_FILES) }, [`large diff: ${REVIEW_LARGE_FILES} files`]],
  ['a file that the objective does not name', { objective: 'Fix src/b.ts' }, ['outside the objective: src/a.ts']],
  ['a write without a grant', { violations: ['.env'] }, ['outside the objective: .env']],
];

for (const [what, change, found] of JUDGED) {
  test(`the risk of ${what}`, () => {
    const risks = judgeReviewRisk({ ...WORK, ...change });
    assert.deepEqual(
      risks.map(({ kind, text }) => `${kind}: ${text}`),
      found,
    );
  });
}

test('work that Baton knows nothing of is unchecked', () => {
  assert.deepEqual(judgeReviewRisk(null), [{ kind: 'unchecked', text: 'Baton ran no check' }]);
});

test('all risks are told, the gravest first', () => {
  const risks = judgeReviewRisk({
    ...WORK,
    objective: 'Fix src/b.ts',
    isUnchecked: true,
    oldTests: oldTests('failed'),
    lines: { added: REVIEW_LARGE_LINES, removed: 0 },
  });
  assert.deepEqual(
    risks.map(({ kind }) => kind),
    ['unchecked', 'tests weakened', 'large diff', 'outside the objective'],
  );
});

test('the size of a difference', () => {
  assert.equal(sizeText({ files: files(2), lines: { added: 1, removed: 20 } }), '+1 -20 in 2 files');
  assert.equal(sizeText({ files: files(1), lines: null }), '1 file');
});
