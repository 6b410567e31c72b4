import type { OrderTerms } from '../../../src/domain/order/decide-order.ts';
import type { ReviewerTerms } from '../../../src/domain/review/feedback-session.ts';

/** Terms of a caller who asks for nothing special, with what a test wants otherwise. */
export function someTerms(some: Partial<OrderTerms> = {}): OrderTerms {
  return {
    sessionId: 'S-9',
    taskId: 'TASK-2026-11-16-001',
    createdAt: Date.parse('2026-11-16T00:00:00.000Z'),
    origin: 'CLI',
    workspaceRoot: '/here',
    agents: [],
    agentName: null,
    usualAgent: { name: 'emma', provider: 'CODEX', model: 'gpt' },
    checks: [],
    usualChecks: [],
    timeoutSeconds: null,
    retriesMax: null,
    costUsdMax: null,
    hosts: [],
    bounds: { allow: [], network: 'RESTRICTED' },
    isWholeNetworkWanted: false,
    checkHosts: [],
    isSandboxDemanded: false,
    isShellAllowed: false,
    memoryBytesMax: null,
    worktree: { isWanted: false, setup: [], include: [] },
    settings: { onQuota: { usual: 'wait', ofAgent: {} }, prices: {}, questionTimeoutMs: 600_000 },
    ...some,
  };
}

/** Terms of a reviewer that is a program, without any cap. */
export function reviewerTerms(name: string): ReviewerTerms {
  const agent = { name, driver: 'process', provider: 'OTHER', model: 'm', role: 'reviewer' } as const;
  const program = { command: ['true'], ownPaths: [], versionsRead: null };
  return { agent: { ...agent, ...program }, costUsdMax: null, prices: {}, onQuota: 'wait' };
}
