import { systemClock } from '../../platform/clock.ts';

/**
 * Starts `git status` and a trial of the sandbox, which work while the code of the node is loaded: git first, because it takes
 * longest. The plan waits for both, and reports what is wrong. A command that finds a node elsewhere loads none of this.
 */
export async function beginLooking(workspace: string): Promise<void> {
  const { recentRepositoryStatus } = await import('../../workspace/repository-status.ts');
  recentRepositoryStatus(workspace, systemClock()).catch(() => undefined);
  const { trySandbox } = await import('../../node/agents/try-sandbox.ts');
  trySandbox().catch(() => undefined);
}
