import type { TaskName } from './task.ts';

/** The options of the questions that Baton asks. */
export const YES = 'yes';
export const NO = 'no';

/** The subjects that a person is asked about while work runs. */
export type QuestionKind = 'permission' | 'budget' | 'quota';

/**
 * The author of an answer: Baton's policy, the person at the terminal of the run, the operator by `baton answer` or a
 * call, the end of the time for it, or the end of the run that asked.
 */
export type AnswerAuthor = 'policy' | 'terminal' | 'operator' | 'timeout' | 'run-ended';

export interface QuestionAnswer {
  /** One of the options of its question. */
  readonly option: string;
  readonly by: AnswerAuthor;
  /** A sentence; null for an answer of a person, which needs none. */
  readonly reason: string | null;
  readonly at: number;
}

/** A question about a task, asked in one of its runs or between two of them. */
export interface Question {
  /** `qst_…` */
  readonly id: string;
  readonly taskId: TaskName;
  readonly runId: string | null;
  readonly kind: QuestionKind;
  /** The question in one line: a tool and its input, a sum of money. */
  readonly what: string;
  /** The path, host or command that it is about. */
  readonly where: string | null;
  /** The reason that the asking side gives. */
  readonly why: string | null;
  readonly options: readonly string[];
  /** The option that counts if nobody answers. */
  readonly defaultOption: string;
  readonly askedAt: number;
  /** The default counts from this instant on; null if it waits for as long as it takes. */
  readonly deadlineAt: number | null;
  /** Null while it is open. */
  readonly answer: QuestionAnswer | null;
}

/** The answer to a question whose run is over before anybody gave one. */
export function answerOfEndedRun({ defaultOption }: Pick<Question, 'defaultOption'>): Omit<QuestionAnswer, 'at'> {
  return { option: defaultOption, by: 'run-ended', reason: 'the run ended first' };
}

/** Nobody waits for the answer any more once the run that asked is over. */
export function endsWithItsRun({ kind }: Pick<Question, 'kind'>): boolean {
  return kind === 'permission';
}
