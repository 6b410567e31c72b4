import type { Report } from '../../../src/domain/order/report.ts';

/** The report of an order that succeeded, with what a test wants otherwise. */
export function aReport(some: Partial<Report> = {}): Report {
  return {
    task: 'TASK-2026-02-09-001',
    run: 'run_1',
    agent: { name: 'emma', provider: 'CODEX', model: 'gpt' },
    verdict: 'checked',
    isSkipped: false,
    code: null,
    message: '',
    summary: 'done',
    summaryBy: 'agent',
    actions: ['did it'],
    actionsBy: 'agent',
    warnings: [],
    errors: [],
    files: [],
    commits: { before: null, after: null },
    checks: [],
    checkpoints: [],
    attempts: [],
    spend: { costUsd: 0, estimatedUsd: 0, tokensInput: 0, tokensOutput: 0, tier: null },
    progress: { at: null, percentage: 100 },
    timing: { startedAt: 0, completedAt: 0, retries: 0 },
    claim: null,
    agentReport: null,
    rollback: [],
    violations: [],
    sandbox: 'bubblewrap',
    workplace: 'in-place',
    receipt: null,
    ...some,
  };
}
