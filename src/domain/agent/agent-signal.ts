import type { Claim } from '../execution/findings.ts';
import type { FailureCode } from '../refusal.ts';
import type { TraceMessage } from '../trace/trace.ts';
import type { Reset } from './quota.ts';

/** Progress of a run, as its agent estimates it. */
export interface ProgressSignal {
  readonly kind: 'progress';
  /** 0 to 100; null where the agent reports a phase or a sentence only. */
  readonly percentage: number | null;
  readonly phase: string | null;
  readonly checkpoint: string | null;
  readonly text: string;
  readonly remainingSeconds: number | null;
  /** Meant for the sender of the order too. False for a figure that accompanies a heartbeat. */
  readonly isForSender: boolean;
}

/** Totals of the run so far: a later figure replaces an earlier one. Null for a figure that the agent does not report. */
export interface TokenCount {
  readonly tokensInput: number | null;
  readonly tokensOutput: number | null;
  /** The part of the input that its vendor had cached; absent where it does not say. */
  readonly tokensCached?: number;
}

export interface UsageSignal extends TokenCount {
  readonly kind: 'usage';
  readonly costUsd: number | null;
  /** The same tokens by the name of their model, where the vendor counts each model by itself. */
  readonly byModel?: Readonly<Record<string, TokenCount>>;
  /** The price list that the agent names. */
  readonly tier: string | null;
}

/** A completion claim that violates its format or answers another task. No later claim makes up for it. */
export interface MalformedClaimSignal {
  readonly kind: 'malformed-claim';
  readonly message: string;
  /** JSON Pointer into the claim. */
  readonly path: string;
  /** Larger than an answer may be (AOP §4); absent for every other fault. */
  readonly isTooLarge?: boolean;
}

/** A tool call of the agent; `begun` and `ended` share the id. */
export type ToolSignal =
  | {
      readonly kind: 'tool';
      readonly state: 'begun';
      readonly id: string;
      readonly name: string;
      /** The arguments, as JSON. */
      readonly input: string;
    }
  | {
      readonly kind: 'tool';
      readonly state: 'ended';
      readonly id: string;
      readonly name: string;
      readonly result: string;
      readonly isSuccess: boolean;
      /** The exit code of a command; null or absent where the agent reports none. */
      readonly exitCode?: number | null;
      /** Time that the agent measured; absent where it announces calls as they begin. */
      readonly tookMs?: number;
    };

/** The agent asks for a permission or a decision, and waits for the answer. */
export interface QuestionSignal {
  readonly kind: 'question';
  readonly id: string;
  readonly text: string;
  readonly options: readonly string[];
  /** Absent for a question in free words. */
  readonly permission?: PermissionAsked;
}

/** A permission that the agent asks for. */
export interface PermissionAsked {
  readonly tool: string;
  /** The arguments of the tool, as JSON. */
  readonly input: string;
  /** The files that it names. */
  readonly paths: readonly string[];
  /** The kind of act; absent where the agent does not tell. */
  readonly access?: 'edit' | 'command' | 'network' | 'other';
  /** The command line or the address that it is about; absent for files. */
  readonly command?: string;
  readonly reason: string | null;
  /** The options that allow it and that refuse it. */
  readonly allow: string;
  readonly refuse: string;
}

/** The model did not answer; the agent tries again by itself. */
export interface RetryingSignal {
  readonly kind: 'retrying';
  /** Counted from 1. */
  readonly attempt: number;
  /** The HTTP status; null where there was no answer. */
  readonly status: number | null;
  readonly message: string;
  /** The vendor's own time of the next try; absent where it does not say. */
  readonly resets?: Reset;
}

/** The vendor refuses more work of this account for now. Only the vendor's own errors count, never text of a model or a tool. */
export interface QuotaSignal {
  readonly kind: 'quota';
  readonly message: string;
  /** Null where the vendor does not say. */
  readonly resets: Reset | null;
  /** The vendor's name of the limit; null where it has none. */
  readonly scope: string | null;
}

/** The agent cannot continue: its model is unavailable, or refuses it. The run ends with this code. */
export interface FailureSignal {
  readonly kind: 'failure';
  readonly code: FailureCode;
  readonly message: string;
  /** The hosts that the vendor's own words name, as `name` or `name:port`. */
  readonly hosts?: readonly string[];
  /** The vendor's own words say that a proxy refused the request, and perhaps not for which host. */
  readonly isRefusedByProxy?: boolean;
  /** How long the model gave no answer. */
  readonly waitedSeconds?: number;
}

/** The session that the agent opened with its vendor. */
export interface VendorSessionSignal {
  readonly kind: 'vendor-session';
  readonly id: string;
  readonly model: string | null;
  readonly version: string | null;
}

/** Everything that an agent's program reports while it runs, whatever protocol or vendor format it prints. */
export type AgentSignal =
  /** A sign of life. Every line is one, so a driver reports this only for a line without another meaning. */
  | { readonly kind: 'beat' }
  /** The model has begun to answer, however long its first words take. */
  | { readonly kind: 'answering' }
  /** Terminal output; logged, never acted on. */
  | { readonly kind: 'output'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | ProgressSignal
  | UsageSignal
  /** The last claim counts. */
  | { readonly kind: 'claim'; readonly claim: Claim }
  | MalformedClaimSignal
  /** A turn of the run is recorded, whatever way it came. */
  | { readonly kind: 'turn'; readonly index: number }
  /** A turn or an event of the run's trace, made from the signals beside it. */
  | { readonly kind: 'trace'; readonly message: TraceMessage }
  | ToolSignal
  | QuestionSignal
  /** The model's reasoning, and its words to the user. */
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'words'; readonly text: string }
  /** Decisions on findings that a program printed; the lines of it are output beside this. */
  | { readonly kind: 'decisions'; readonly text: string }
  | RetryingSignal
  | FailureSignal
  /** The work is over, whether or not the process ends. */
  | {
      readonly kind: 'finished';
      /** The agent's last words about it. */
      readonly summary?: string | null;
    }
  /** The vendor's format differs from the one that the driver knows. */
  | { readonly kind: 'unexpected'; readonly message: string }
  | QuotaSignal
  | VendorSessionSignal
  /** A protocol message as the agent printed it: the node receives it on the channel of the run. */
  | { readonly kind: 'message'; readonly text: string };
