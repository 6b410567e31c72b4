import type { CompletionOutcome } from './resolve-completion.ts';
import type { TaskName } from './task.ts';

export type RunStatus = 'running' | 'completed' | 'failed' | 'abandoned';

/** The handoff file of every result, relative to the folder of its task (aof:refs). */
export const HANDOFF_REF = 'outputs/handoff.md';

/** An agent's report of its own work: evidence, never a verdict. */
export interface RunResult {
  readonly outcome: CompletionOutcome;
  readonly summaryRef: string;
  readonly deliverables: readonly string[];
  readonly tests: { readonly total: number; readonly passed: number; readonly failed: number };
  readonly blockers: readonly string[];
  readonly notes: string;
  readonly completedAt: number;
  readonly agent: string;
}

/** A time on the monotonic clock of one boot: it means nothing after the next. */
export interface BootTime {
  readonly bootId: string;
  readonly monotonicMs: number;
}

/** One attempt at a task by one agent, from lease to end. */
export interface Run {
  readonly id: string;
  readonly taskId: TaskName;
  readonly fence: number;
  readonly agent: string;
  readonly status: RunStatus;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Why it ended without a result. */
  readonly endReason: string | null;
  readonly leaseExpires: BootTime;
  readonly leaseExpiresAt: number;
  readonly heartbeatExpires: BootTime;
  readonly heartbeatExpiresAt: number;
  readonly lastBeatAt: number;
  readonly beats: number;
  /** A process that Baton started; null for a claim by hand. */
  readonly process: { readonly pid: number; readonly startTicks: number } | null;
  readonly result: RunResult | null;
}

/** Whether a run that Baton started is open without a node: the one that carried it died. */
export function isInterruptedRun({ process, status }: Pick<Run, 'process' | 'status'>, isDriven: boolean): boolean {
  return process !== null && status === 'running' && !isDriven;
}
