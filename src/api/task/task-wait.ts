import type { RemoteView } from './remote-view.ts';

/** The obstacles of a task that is not over yet. */
export interface TaskWait {
  /** The agent that is to do it and is not configured: nothing starts the task unless that agent claims it. */
  readonly missingAgent: string | null;
  /** The tasks that hold it up. */
  readonly waitsFor: readonly string[];
  /** The vendor's account is out of quota: the task continues then, by itself where a node runs. */
  readonly quota: QuotaWait | null;
  /** Another node runs it, or asked for it; null for a task of this node alone. */
  readonly remote: RemoteView | null;
}

export interface QuotaWait {
  /** The vendor and a mark of the login. */
  readonly account: string;
  /** RFC 3339 */
  readonly until: string;
}
