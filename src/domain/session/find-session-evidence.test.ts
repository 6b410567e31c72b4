import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReviewedWork } from '../review/judge-review-risk.ts';
import { findSessionEvidence } from './find-session-evidence.ts';

function work(more: Partial<ReviewedWork>): ReviewedWork {
  return {
    objective: 'change src/money.ts',
    outputs: [],
    isUnchecked: false,
    message: '',
    checks: [],
    oldTests: null,
    files: [],
    lines: null,
    violations: [],
    ...more,
  };
}

function told(works: Readonly<Record<string, ReviewedWork | null>>): readonly string[] {
  const found = findSessionEvidence(Object.entries(works).map(([member, each]) => ({ member, work: each })));
  return found.map(({ kind, member, details }) => `${kind} ${member}: ${details.join(' ')}`);
}

const check = (id: string, after: 'passed' | 'could-not-run') => ({ id, before: null, after, change: 'same' }) as never;

test('one list over all tasks, riskiest first, each with its task', () => {
  const works = {
    plain: work({ files: [{ path: 'src/money.ts', status: 'updated' }], checks: [check('npm test', 'passed')] }),
    strays: work({ files: [{ path: 'docs/other.md', status: 'updated' }] }),
    blind: work({ checks: [check('npm run lint', 'could-not-run')] }),
    removes: work({ files: [{ path: 'test/money.test.ts', status: 'deleted' }] }),
    edits: work({ files: [{ path: 'test/money.test.ts', status: 'updated' }] }),
    weakens: work({ oldTests: { files: ['test/a.test.ts'], result: 'failed', message: '' } }),
    breaks: work({ violations: ['/etc/passwd'] }),
    unknown: null,
  };
  const lines = told(works);
  assert.deepEqual(
    lines.filter((each) => !each.startsWith('outside-objective')),
    [
      'forbidden-write breaks: /etc/passwd',
      'tests-weakened weakens: test/a.test.ts',
      'tests-removed removes: test/money.test.ts',
      'tests-changed edits: test/money.test.ts',
      'check-not-run blind: npm run lint',
    ],
  );
  assert.ok(lines.includes('outside-objective strays: docs/other.md'));
  assert.ok(!lines.some((each) => each.includes(' plain:')));
});

test('an expected output is no change of a test', () => {
  const path = 'test/money.test.ts';
  assert.deepEqual(told({ asked: work({ outputs: [path], files: [{ path, status: 'updated' }] }) }), []);
});
