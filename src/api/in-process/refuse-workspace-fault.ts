import { type Refusal, refuse } from '../../domain/refusal.ts';
import { WorkspaceFault } from '../../workspace/workspace-fault.ts';

/** A git or a disk that fails is told in its own words; anything else is a bug, and thrown on. */
export function refuseWorkspaceFault(error: unknown): Refusal {
  if (error instanceof WorkspaceFault) return refuse('workspace_failed', error.message);
  throw error;
}
