import type { RunResult } from './run.ts';
import type { TaskStatus } from './task-lifecycle.ts';

/** The task, sender and receiver of a message. */
export interface MessageRoute {
  /** The name of the message in its protocol, for the log. */
  readonly type: string;
  readonly taskId: string;
  readonly fromAgent: string;
  readonly toAgent: string;
  /** Null where the message names none. */
  readonly projectId: string | null;
  /** The run whose channel carried the message; absent where an operator or a file did. */
  readonly senderRun?: string;
}

/** An agent's statement of the result of its work. */
export interface CompletionMessage extends MessageRoute {
  readonly kind: 'completion';
  readonly result: Omit<RunResult, 'completedAt' | 'agent'>;
  /** JSON Pointer to the summary in the message, for a warning about it. */
  readonly summaryPath: string;
}

/** Progress on a task, perhaps with a new status. */
export interface StatusMessage extends MessageRoute {
  readonly kind: 'status';
  readonly to: TaskStatus | null;
  /** JSON Pointer to the status in the message, for a warning about it. */
  readonly statusPath: string;
  readonly reason: string | null;
  /** One line of the work log. */
  readonly logEntry: string | null;
  /** RFC 3339, as the sender wrote it. */
  readonly sentAt: string;
}

/** A request to hand a task down from its parent. */
export interface HandoffMessage extends MessageRoute {
  readonly kind: 'handoff';
  readonly handoff: {
    readonly parentTaskId: string;
    readonly fromAgent: string;
    readonly toAgent: string;
    readonly dueBy: string;
  };
  /** The whole request as it is stored. */
  readonly request: string;
}

/** The answer of the agent that a task was handed to. */
export interface HandoffAnswerMessage extends MessageRoute {
  readonly kind: 'handoff-answer';
  readonly isAccepted: boolean;
  readonly reason: string | null;
}

/** A message about a task in kernel terms; the codecs translate the messages of their protocols into it. */
export type AgentMessage = CompletionMessage | StatusMessage | HandoffMessage | HandoffAnswerMessage;

/** Something odd about a message that was accepted. */
export interface MessageWarning {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}
