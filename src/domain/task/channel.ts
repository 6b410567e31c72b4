import type { TaskName } from './task.ts';

/** The identity of a run and of the agent that was started for it. */
export interface RunHolder {
  readonly taskId: TaskName;
  readonly taskUid: string;
  readonly runId: string;
  readonly agent: string;
}

/** A run that sends messages: by its output, or by its token over HTTP. */
export interface RunChannel {
  readonly kind: 'run';
  readonly holder: RunHolder;
  readonly by: 'pipe' | 'token';
}

/** The sender of a message and its way to the node. A run speaks for its own task, and for what that task delegated. */
export type Channel =
  /** With a run, a message counts only if that run still holds its task. */
  { readonly kind: 'operator'; readonly run: string | null } | RunChannel;

/** The HTTP address by which an agent reaches the node that started it, for its own task and nothing else. */
export interface AgentEndpoint {
  readonly url: string;
  /** On the loopback interface. */
  readonly port: number;
  /** A token that is valid until the run is released; it exists in memory only. */
  admit(holder: RunHolder): string;
  release(runId: string): void;
}
