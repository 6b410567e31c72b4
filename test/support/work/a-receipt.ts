import type { ReceiptFacts } from '../../../src/checks/receipt.ts';

/** The facts of a run with one check; a test overrides the ones it cares about. */
export function receiptFacts(own: Partial<ReceiptFacts> = {}): ReceiptFacts {
  const check = {
    id: 'npm test',
    kind: 'check',
    command: 'npm test',
    argv: ['npm', 'test'],
    expects: 'exit-code-0',
    path: null,
    result: 'passed',
    reason: 'exit 0',
    exitCode: 0,
    signal: null,
    stdoutTail: 'ok ä 😀\n',
    stderrTail: '',
    durationMs: 1_234,
  } as const;
  return {
    task: 'TASK-2026-02-09-057',
    run: 'run_01',
    agent: 'emma',
    provider: 'CODEX',
    model: 'gpt-5.3-codex',
    workspace: '/work/project',
    commitBefore: 'a'.repeat(40),
    commitAfter: 'b'.repeat(40),
    startedAt: '2026-02-09T10:00:00.000Z',
    endedAt: '2026-02-09T10:05:00.000Z',
    sandbox: 'bubblewrap',
    network: 'RESTRICTED',
    checksBefore: [{ ...check, result: 'failed', reason: 'exit 1, expected 0', exitCode: 1 }],
    checksAfter: [check],
    files: [{ path: 'src/a.ts', size: 12, mtimeMs: 1_770_631_200_000, sha256: 'c'.repeat(64) }],
    filesLeftOut: 0,
    cost: { usd: 0.1 + 0.2, tokens: 15_700, reported: 'at-end' },
    verdict: { signal: 'SUCCESS', isChecked: true, message: '1 check passed' },
    claim: { signal: 'SUCCESS', message: 'All done.' },
    batonVersion: '0.1.0',
    ...own,
  };
}
