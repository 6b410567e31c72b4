import type { Refusal } from '../refusal.ts';

/** A caller's request for an order. */
export interface OrderRequest {
  /** An AOP TASK as JSON, AOP v1 markdown, or plain words. */
  readonly text: string;
  /** The folder that plain words are about; absolute. */
  readonly workspace: string;
  /** The agent's name; without one the configuration's default, or the only one that is ready. */
  readonly agent?: string | null;
  readonly checks?: readonly string[];
  readonly timeoutSeconds?: number;
  /** Attempts after a failed one; default 1 for words, and what a TASK says for a program's order. */
  readonly retries?: number;
  readonly budgetUsd?: number;
  /** Presets of the network, in addition to the configured ones. */
  readonly net?: readonly string[];
  /** Paths beside the workspace that the order may ask for, in addition to the configured ones; absolute. */
  readonly allow?: readonly string[];
  readonly worktree?: boolean;
  readonly reviewRequired?: boolean;
  /** Other nodes, agents or agents of one node (emma@laptop) that may do it: the first to accept it does. */
  readonly on?: readonly string[];
  /** Capabilities of the federation that its agent must have. */
  readonly needs?: readonly string[];
  /** For another node: it is called back after this time. */
  readonly deadlineSeconds?: number;
  /** The way it came in; a program need not say so. */
  readonly origin?: 'CLI' | 'API';
}

/** Whether another node is to run it, or any that can. */
export function isToBeSent({ on = [], needs = [] }: Pick<OrderRequest, 'on' | 'needs'>): boolean {
  return on.length > 0 || needs.length > 0;
}

/** An operator's request to continue a task that is over. */
export interface ContinueRequest {
  readonly task: string;
  /** Words for the agent; without any it continues what is not done. */
  readonly text?: string;
  /** Absent is the agent that worked on it last, in its own session where that can be resumed. */
  readonly agent?: string;
  /** These three and the checks are as before unless they are named. */
  readonly checks?: readonly string[];
  readonly timeoutSeconds?: number;
  readonly retries?: number;
  readonly budgetUsd?: number;
}

/** An operator's request to run a task that is there. */
export interface RunTaskRequest {
  readonly task: string;
  /** For the first round of a task: in place of its own, and kept with it. */
  readonly agent?: string;
  readonly checks?: readonly string[];
}

/** The paths and the network that an order needs beyond the bounds of its request, for a person who is asked. */
export interface OrderNeeds {
  /** As the order names them. */
  readonly readPaths: readonly string[];
  readonly writePaths: readonly string[];
  readonly isWholeNetwork: boolean;
  /** A yes adds these to `allow` and `net` of the request. */
  readonly yes: { readonly allow: readonly string[]; readonly net: readonly string[] };
  /** The answer to the request without that yes. */
  readonly refusal: Refusal;
}

/** A request to plan an order. */
export interface PlanOrderRequest extends OrderRequest {
  /** The caller can ask a person: the plan tells what the order needs instead of refusing it, and is kept for the answer. */
  readonly isAttended?: boolean;
}

/** A request to give an order. */
export interface SubmitOrderRequest extends OrderRequest {
  /** The offer that a person agreed to. An order that differs in more than the answers, or an offer that is gone, is planned anew. */
  readonly offer?: string;
}

/** A plan with its offer, where an attended caller asked for one. */
export interface OfferedPlan extends OrderPlan {
  readonly offer?: { readonly id: string; readonly needs: OrderNeeds | null };
}

/** A request without its text. */
export type OrderFlags = Omit<OrderRequest, 'text'>;

/** The consequences of a request; asking for a plan changes nothing. */
export interface OrderPlan {
  readonly title: string;
  /** A TASK in AOP's own form: a program's order, so nobody is asked. */
  readonly isProgram: boolean;
  readonly agent: { readonly name: string; readonly driver: string; readonly provider: string; readonly model: string };
  /** Why `auto` chose this agent, in one line; absent where it was named. */
  readonly chosen?: string;
  readonly workspace: string;
  readonly git: { readonly branch: string | null; readonly head: string | null; readonly changedFiles: number } | null;
  /** While another run has the workspace, this one gets a worktree, or waits where there is no sandbox to mount it in. */
  readonly workplace: 'in-place' | 'worktree' | 'waits' | 'elsewhere';
  /** The task that has the workspace. */
  readonly heldBy: string | null;
  readonly readPaths: readonly string[];
  readonly writePaths: readonly string[];
  /** The files of the agent's program and of the Node in use, which the sandbox shows beside the system's folders. */
  readonly programPaths: readonly string[];
  /** Places of the agent's vendor that it writes: its sessions, and its login when it renews it. */
  readonly sessionPaths: readonly string[];
  /** The paths and network that exceed the configured bounds: a flag or a person allows them. */
  readonly beyond: {
    readonly readPaths: readonly string[];
    readonly writePaths: readonly string[];
    readonly isWholeNetwork: boolean;
  };
  readonly network: string;
  readonly hosts: readonly string[];
  readonly sandbox: 'bubblewrap' | 'none';
  /** The reason why there is no sandbox. */
  readonly sandboxMissing: string | null;
  readonly checks: readonly string[];
  /** Suggested by the repository, where no check was named. */
  readonly suggestedChecks: readonly string[];
  readonly timeoutSeconds: number;
  /** Attempts after a failed one, each told what failed. */
  readonly retries: number;
  readonly budgetUsd: number | null;
  /** The agent's model is paid for by use. */
  readonly costsMoney: boolean;
  readonly warnings: readonly string[];
}
