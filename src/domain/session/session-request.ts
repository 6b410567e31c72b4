import type { PlanRisk } from '../order/judge-risks.ts';
import type { OrderFlags } from '../order/order-request.ts';
import type { SessionPattern } from './session-terms.ts';

/** A caller's request for a session. Flags count for every task, where the task does not say otherwise. */
export interface SessionRequest
  extends Pick<
    OrderFlags,
    'workspace' | 'agent' | 'checks' | 'timeoutSeconds' | 'retries' | 'net' | 'allow' | 'origin'
  > {
  /** A JSON array or NDJSON of AOP TASKs, or the short form in YAML. */
  readonly text: string;
  /** Each task works in a worktree of its own. */
  readonly worktree?: boolean;
  readonly reviewRequired?: boolean;
  /** The cap of all tasks together; the smaller of this and the text's counts. */
  readonly budgetUsd?: number;
  readonly deadlineSeconds?: number;
  readonly atOnce?: number;
}

/** One task of a session that is planned. */
export interface PlannedMember {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  /** Why `auto` chose this agent, in one line; absent where it was named. */
  readonly chosen?: string;
  readonly after: readonly string[];
  readonly parent: string | null;
  readonly depth: number;
  readonly checks: readonly string[];
  readonly workplace: 'in-place' | 'worktree' | 'waits';
  /** The most that it may cost over all its runs; null without a cap. */
  readonly worstUsd: number | null;
  readonly timeoutSeconds: number;
  readonly retries: number;
}

/** The consequences of a session; asking for a plan changes nothing. */
export interface SessionPlan {
  readonly sessionId: string;
  readonly name: string;
  readonly pattern: SessionPattern;
  /** Messages of programs: nobody is asked. */
  readonly isProgram: boolean;
  readonly tasks: readonly PlannedMember[];
  /** The most that the session may cost; null without a cap. */
  readonly worstUsd: number | null;
  readonly budgetUsd: number | null;
  readonly deadlineSeconds: number | null;
  readonly atOnce: number | null;
  /** Risks that a person has to agree to, each once. */
  readonly risks: readonly Pick<PlanRisk, 'kind' | 'fact' | 'instead'>[];
  readonly warnings: readonly string[];
}

/** An operator's request to continue the tasks of a session that were not done. */
export interface ReopenRequest {
  readonly session: string;
  /** In place of the session's own cap, which counts what was spent before too. */
  readonly budgetUsd?: number;
  readonly deadlineSeconds?: number;
  readonly atOnce?: number;
}
