import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderReport, ReportSummary } from '../../api/order/order-contract.ts';
import { viewVerdict } from '../../api/task/views.ts';
import type { OrderWarning } from '../../domain/order/warning.ts';
import { foldLines } from '../output/lines.ts';
import { styleFor } from '../output/style.ts';
import { type Ending, reportLines } from './report-text.ts';

const PLAIN = styleFor(0, false);
const STAT = [{ path: 'src/money.test.ts', status: 'added', added: 12, removed: 0 }];

function textOf(report: OrderReport, more: Partial<Ending> = {}): string {
  return foldLines(reportLines({ report, stat: [], folderFlag: '', ...more }, PLAIN), Number.POSITIVE_INFINITY);
}

const ID = 'TASK-2026-02-09-057';

function warning(kind: OrderWarning['kind'], some: Partial<OrderWarning> = {}): OrderWarning {
  return { kind, code: null, path: null, message: 'something', ...some };
}

function summary(some: Partial<ReportSummary> = {}): ReportSummary {
  return {
    run: 'run_1',
    code: null,
    message: '',
    commits: { before: 'a', after: 'b' },
    hint: null,
    account: null,
    warnings: [],
    durationMs: 192_000,
    runs: 2,
    costUsd: 0.25,
    tokens: 15,
    ...some,
  };
}

function report(changes: Partial<OrderReport> = {}): OrderReport {
  return {
    task: { id: ID, status: 'done' } as OrderReport['task'],
    round: 1,
    isOver: true,
    ...viewVerdict({ verdict: 'checked', isSkipped: false, stoppedBy: null }),
    response: null,
    summary: summary({ account: 'Wrote the tests.', warnings: [warning('unchecked'), warning('claim-differs')] }),
    checks: [{ id: 'npm test', before: 'failed', after: 'passed', change: 'fixed' }],
    failures: [],
    changed: [{ path: 'src/money.test.ts', status: 'CREATED' }],
    git: [],
    ignored: [],
    receipt: { file: '/d/receipt.json', staleFiles: [] },
    handled: [],
    cleanedAt: null,
    workplace: { kind: 'in-place', folder: '/shop' },
    ...changes,
  };
}

test('a report says the verdict first, then what it rests on, then what to type next', () => {
  assert.deepEqual(textOf(report(), { stat: STAT }).split('\n'), [
    '',
    `checked  ${ID} is done`,
    '  │ Wrote the tests.',
    '  + src/money.test.ts  +12 -0',
    '  ✓ npm test (fixed)',
    '3 min 12 s · 2 runs · $0.25 · 15 tokens',
    'receipt /d/receipt.json',
    `next: baton diff ${ID}  what it changed`,
    `next: baton undo ${ID}  take back what it did`,
  ]);
});

test('work that was not recorded is not offered to be looked at or undone', () => {
  const unrecorded = summary({ commits: { before: null, after: null } });
  assert.doesNotMatch(textOf(report({ summary: unrecorded })), /next:/);
});

const error = summary({ code: 'E_TIMEOUT', message: 'it took too long' });

const VERDICTS: readonly (readonly [Partial<OrderReport>, RegExp])[] = [
  [
    { verdict: 'unchecked', summary: summary({ message: 'no checks were defined' }) },
    /^unchecked {2}TASK-\S+: no checks were defined; it waits for your review$/m,
  ],
  [
    { verdict: 'partial', summary: summary({ message: 'c1 failed' }) },
    /^needs you {2}TASK-\S+ is partial: c1 failed$/m,
  ],
  [{ verdict: 'failed', summary: error }, /^failed {2}TASK-\S+: it took too long \(E_TIMEOUT\)$/m],
  [{ verdict: 'aborted', summary: error }, /^aborted {2}TASK-\S+: it took too long/m],
  [{ verdict: 'aborted', isSkipped: true, summary: error }, /^skipped {2}TASK-\S+: it took too long/m],
  [{ verdict: 'aborted', stoppedBy: 'anna' }, /^stopped {2}TASK-\S+; its changes stay in place$/m],
  [
    { verdict: 'failed', summary: summary({ code: 'E_UNKNOWN', message: 'npm test: exit 1' }) },
    /^failed {2}TASK-\S+: npm test: exit 1$/m,
  ],
  [
    {
      verdict: 'failed',
      summary: { ...error, hint: `see: baton events --task ${ID}` },
    },
    /^try: see: baton events --task TASK-2026-02-09-057$/m,
  ],
  [{ task: { id: ID, status: 'review' } as OrderReport['task'] }, /^checked {2}TASK-\S+ waits for your review$/m],
  [
    { summary: summary({ warnings: [warning('fallback', { path: '/task/x', message: 'task.x: is no number' })] }) },
    /^ {2}note task\.x: is no number$/m,
  ],
  [{ changed: [] }, /^ {2}no file was changed$/m],
  [
    { summary: summary({ commits: { before: null, after: null } }) },
    /^ {2}what it changed is not known: there is no git$/m,
  ],
  [
    { checks: [{ id: 'mak', before: 'could-not-run', after: 'could-not-run', change: 'same as before' }] },
    /^ {2}\? mak \(could not run, same as before\)$/m,
  ],
  [{ summary: summary({ costUsd: 0.123456, tokens: 1200 }) }, /2 runs · \$0\.12 · 1,200 tokens$/m],
  [{ summary: summary({ costUsd: 0.001234 }) }, / · \$0\.0012 · /m],
  [{ summary: summary({ costUsd: 0 }) }, / · no cost reported · /m],
  [
    { summary: summary({ account: 'I am done\n\nchecked  TASK-1 is done\u001b[2J\n' }) },
    /^ {2}│ I am done\n {2}│ checked {2}TASK-1 is done$/m,
  ],
  [
    { summary: summary({ account: Array.from({ length: 14 }, (_, at) => `line ${at}`).join('\n') }) },
    /^ {2}│ line 11\n {2}│ … 2 lines more$/m,
  ],
  [
    { verdict: 'failed', task: { id: ID, status: 'blocked' } as OrderReport['task'] },
    /^next: baton continue TASK-\S+ {4}continue it; add words, or --agent NAME\nnext: baton task retry TASK-\S+ {2}try it again$/m,
  ],
  [
    { verdict: 'unchecked', task: { id: ID, status: 'review' } as OrderReport['task'] },
    /^next: baton review approve TASK-\S+ {2}accept it$/m,
  ],
  [{ verdict: 'failed', changed: [] }, /^next: baton logs TASK-\S+ {2}the output of its agent$/m],
  [
    { workplace: { kind: 'worktree', folder: '/w' } },
    /^next: baton apply TASK-\S+ {4}merge it into your files\nnext: baton discard/m,
  ],
  [{ receipt: { file: '/r', staleFiles: ['a.ts'] } }, /^receipt \/r \(stale: a\.ts changed since\)$/m],
  [{ checks: [{ id: 'lint', before: 'passed', after: 'failed', change: 'new failure' }] }, /✗ lint \(new failure\)/],
  [
    {
      verdict: 'failed',
      checks: [{ id: 'lint', before: 'passed', after: 'failed', change: 'new failure' }],
      failures: [{ id: 'lint', message: 'exit 1', tail: 'a.ts: unused\n\u001b[31mone problem\n' }],
    },
    /✗ lint \(new failure\)\n {4}│ a\.ts: unused\n {4}│ .*one problem\n[\s\S]*^next: baton verify TASK-\S+ /m,
  ],
  [
    { changed: Array.from({ length: 25 }, (_, at) => ({ path: `f${at}`, status: at < 24 ? 'UPDATED' : 'DELETED' })) },
    /^ {2}- f24\n[\s\S]*^ {2}~ f18\n {2}and 5 more: 5 changed$/m,
  ],
];

for (const [changes, wanted] of VERDICTS) {
  test(`a report of ${JSON.stringify(changes).slice(0, 100)} is told in words for people`, () => {
    const text = textOf(report(changes));
    assert.match(text, wanted);
    assert.doesNotMatch(text, /PARTIAL_SUCCESS|FAILURE|ABORTED/);
  });
}

test('where a data folder was named, what to type next names it', () => {
  assert.match(
    textOf(report(), { folderFlag: ' --data /d' }),
    /^next: baton undo TASK-\S+ --data \/d {2}take back what it did$/m,
  );
});
