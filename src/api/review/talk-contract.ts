import type { TaskView } from '../task/task-view.ts';

// Requests and answers of the calls by which a person talks to agents.

/** A question to a person, with its answer if it has one. */
export interface QuestionView {
  readonly id: string;
  readonly taskId: string;
  readonly runId: string | null;
  readonly kind: string;
  readonly what: string;
  /** The path, host or command that it is about. */
  readonly where: string | null;
  readonly why: string | null;
  readonly options: readonly string[];
  /** Counts if nobody answers. */
  readonly default: string;
  readonly askedAt: string;
  readonly deadlineAt: string | null;
  readonly answer: QuestionAnswerView | null;
}

export interface QuestionAnswerView {
  readonly answer: string;
  readonly by: string;
  readonly reason: string | null;
  readonly at: string;
}

export interface QuestionList {
  readonly questions: readonly QuestionView[];
}

export interface SayAnswer {
  readonly task: TaskView;
  /** The id of the words in events. */
  readonly words: string;
  readonly text: string;
  /** The running agent was told. Otherwise it is told at its next turn. */
  readonly isDelivered: boolean;
  /** A run holds the task now. */
  readonly isRunning: boolean;
}
