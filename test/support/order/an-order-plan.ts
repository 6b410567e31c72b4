import type { OrderPlan } from '../../../src/domain/order/order-request.ts';

/** The plan of a small order that nothing is wrong with, and what a test changes in it. */
export function anOrderPlan(changes: Partial<OrderPlan> = {}): OrderPlan {
  return {
    title: 'Add tests',
    isProgram: false,
    agent: { name: 'emma', driver: 'process', provider: 'OTHER', model: 'tester' },
    workspace: '/shop',
    git: { branch: 'main', head: 'c0ffee', changedFiles: 0 },
    workplace: 'in-place',
    heldBy: null,
    readPaths: ['/shop'],
    writePaths: ['/shop'],
    programPaths: [],
    sessionPaths: [],
    beyond: { readPaths: [], writePaths: [], isWholeNetwork: false },
    network: 'RESTRICTED',
    hosts: [],
    sandbox: 'bubblewrap',
    sandboxMissing: null,
    checks: ['npm test'],
    suggestedChecks: [],
    timeoutSeconds: 1_800,
    retries: 1,
    budgetUsd: 5,
    costsMoney: true,
    warnings: [],
    ...changes,
  };
}
