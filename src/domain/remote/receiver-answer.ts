import type { Provider } from '../agent/agent.ts';
import type { CheckResult } from '../execution/check-result.ts';
import type { FailureClass } from '../order/failure-class.ts';
import type { WorkVerdict } from '../order/work-verdict.ts';
import type { FailureCode } from '../refusal.ts';

/** The end of a task as the node that ran it tells it. */
export interface ReceiverAnswer {
  readonly verdict: WorkVerdict;
  readonly code: FailureCode | null;
  /** Null for work that did not fail. */
  readonly failureClass: FailureClass | null;
  readonly message: string;
  /** The agent's own account; empty where it gave none. */
  readonly summary: string;
  readonly resultRef: string | null;
  /** The result that the ref names, where the other node sent it along. */
  readonly output?: unknown;
  readonly before: readonly CheckResult[];
  readonly after: readonly CheckResult[];
  readonly spend: { readonly costUsd: number; readonly tokensInput: number; readonly tokensOutput: number };
  /** The provider and model of its agent; null where the other node does not say. */
  readonly model: { readonly provider: Provider; readonly name: string } | null;
  /** The other node's own name of the task; null where it does not say. */
  readonly theirTask: string | null;
  /** The files, receipt and trace on their way back; null where none come. */
  readonly parcel: unknown;
}
