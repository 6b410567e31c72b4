import type { Order } from '../../../src/domain/order/order.ts';
import { POLICY_DEFAULTS } from '../../../src/domain/order/policy.ts';

/** An order in plain words, with what a test wants otherwise. */
export function anOrder(some: Partial<Order> = {}): Order {
  return {
    sessionId: 'AOP-SESSION-1',
    taskId: 'T-1',
    parentTaskId: null,
    origin: 'CLI',
    objective: 'Add user endpoints',
    priority: 'normal',
    target: {
      agentName: 'emma',
      provider: 'CODEX',
      model: 'gpt',
      profile: null,
      isHeadless: true,
      versionsRead: null,
    },
    workspaceRoot: '/ws',
    inputs: [],
    outputs: [],
    phases: [],
    checks: [],
    isShellAllowed: false,
    bounds: { allow: [], network: 'FULL' },
    access: { readPaths: ['/ws'], writePaths: ['/ws'], readOnlyPaths: [], network: 'RESTRICTED' },
    hosts: [],
    checkHosts: [],
    memoryBytesMax: null,
    worktree: { isWanted: false, setup: [], include: [] },
    settings: { onQuota: { usual: 'wait', ofAgent: {} }, prices: {}, questionTimeoutMs: 600_000 },
    budget: { costUsdMax: null, tokensMax: null },
    policy: POLICY_DEFAULTS,
    alternatives: [],
    isDelegationAllowed: false,
    isSandboxDemanded: false,
    isFallback: false,
    ...some,
  };
}
