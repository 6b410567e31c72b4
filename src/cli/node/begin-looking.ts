import { systemClock } from '../../platform/clock.ts';
import type { EarlyLook } from '../../workspace/repository-status.ts';

/**
 * Starts `git status` and a trial of the sandbox, which work while the code of the node is loaded: git first, because it takes
 * longest. The plan waits for both, and reports what is wrong. A command that finds a node elsewhere loads none of this.
 */
export async function beginLooking(workspace: string): Promise<EarlyLook> {
  const { EarlyLook: Look } = await import('../../workspace/repository-status.ts');
  const look = new Look(workspace, systemClock());
  const { trySandbox } = await import('../../node/agents/try-sandbox.ts');
  trySandbox().catch(() => undefined);
  return look;
}
