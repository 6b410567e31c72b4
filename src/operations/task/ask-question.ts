import { type Refusal, refuse, refuseTask } from '../../domain/refusal.ts';
import { DISPATCHER, OPERATOR } from '../../domain/task/decide-sender.ts';
import { answerOfEndedRun, endsWithItsRun, type Question, type QuestionAnswer } from '../../domain/task/question.ts';
import type { Run } from '../../domain/task/run.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import {
  insertQuestion,
  selectOpenQuestionsOf,
  selectQuestion,
  updateAnswer,
} from '../../ledger/statements/questions.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { resumeOrder } from '../order/resume-order.ts';

export interface QuestionChange {
  readonly question: Question;
  readonly events: readonly LedgerEvent[];
}

export interface NewQuestion extends Omit<Question, 'id' | 'askedAt' | 'deadlineAt' | 'answer'> {
  /** Null: it waits for as long as it takes. */
  readonly timeoutMs: number | null;
  /** Policy decides at once: asked and answered are one commit. */
  readonly answer?: Pick<QuestionAnswer, 'option' | 'reason'>;
}

/** Asks a question about a task. One of a run is refused once that run has lost the task. */
export const askQuestion: Command<NewQuestion, QuestionChange> = (tx, { timeoutMs, answer, ...asked }) => {
  const task = selectTask(tx, asked.taskId);
  if (!task) return refuse('task_not_found', `there is no task ${asked.taskId}`);
  if (endsWithItsRun(asked) && asked.runId !== task.runId)
    return refuse('stale_run', `${asked.runId} does not hold ${asked.taskId} any more`);
  const askedAt = tx.moment.now.wallMs;
  const id = `qst_${tx.moment.ids.ulid()}`;
  const deadlineAt = timeoutMs === null ? null : askedAt + timeoutMs;
  const question: Question = { ...asked, id, askedAt, deadlineAt, answer: null };
  insertQuestion(tx, question);
  const { taskId, runId, kind, what, where, why, options, defaultOption } = question;
  const payload = {
    question: id,
    kind,
    what,
    where,
    why,
    options,
    default: defaultOption,
    deadlineAt: iso(deadlineAt),
  };
  const actor = (runId === null ? null : task.routing.agent) ?? DISPATCHER;
  const event = insertEvent(tx, { type: 'question.asked', actor, taskId, runId, payload });
  if (!answer) return { question, events: [event] };
  const answered = writeAnswer(tx, question, { ...answer, by: 'policy' });
  return { question: answered.question, events: [event, ...answered.events] };
};

export interface GivenAnswer extends Omit<QuestionAnswer, 'at'> {
  readonly question: string;
}

/** Answers an open question with one of its options. The first answer counts. */
export const answerQuestion: Command<GivenAnswer, QuestionChange> = (tx, { question: id, ...answer }) => {
  const question = selectQuestion(tx, id);
  if (!question) return refuse('question_not_found', `there is no question ${id}`);
  if (question.answer !== null) return answered(question, question.answer);
  if (!question.options.includes(answer.option)) return refuseOption(question, answer.option);
  const written = writeAnswer(tx, question, answer);
  if (endsWithItsRun(question)) return written;
  return { ...written, events: [...written.events, ...resumeOrder(tx, question, answer.option)] };
};

/** Closes the questions of a run that has ended: nobody waits for their answers. */
export function closeQuestions(tx: Tx, { id: runId, taskId }: Pick<Run, 'id' | 'taskId'>): void {
  for (const question of selectOpenQuestionsOf(tx, taskId)) {
    if (question.runId !== runId || !endsWithItsRun(question)) continue;
    writeAnswer(tx, question, answerOfEndedRun(question));
  }
}

function writeAnswer(tx: Tx, question: Question, given: Omit<QuestionAnswer, 'at'>): QuestionChange {
  const answer = { ...given, at: tx.moment.now.wallMs };
  const { id, taskId, runId, kind } = question;
  updateAnswer(tx, id, answer);
  const { option, by, reason } = given;
  const payload = { question: id, kind, answer: option, by, reason };
  const actor = by === 'terminal' || by === 'operator' ? OPERATOR : DISPATCHER;
  const event = insertEvent(tx, { type: 'question.answered', actor, taskId, runId, payload });
  return { question: { ...question, answer }, events: [event] };
}

function answered({ id, taskId }: Question, { option, by }: QuestionAnswer): Refusal {
  return refuseTask('question_answered', `${id} was answered before: ${option}, by ${by}`, taskId);
}

function refuseOption({ id, options }: Question, option: string): Refusal {
  const hint = `answer with ${options.join(' or ')}`;
  return { ...refuse('invalid_argument', `${JSON.stringify(option)} is no answer to ${id}`, '/answer'), hint };
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
