import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { Task } from '../../domain/task.ts';
import {
  selectLastQuestionOf,
  selectOpenQuestions,
  selectOpenQuestionsOf,
  selectQuestion,
} from '../../ledger/statements/questions.ts';
import type { Reader } from '../../ledger/tx.ts';
import { type Asked, answerQuestion, type GivenAnswer } from '../../operations/ask-question.ts';
import { findTask, nameTask } from '../../operations/find-task.ts';
import { recordDelivery, sayWords, undeliveredWords } from '../../operations/say-words.ts';
import type { Calls, RequestOf } from '../node-client.ts';
import type { SayAnswer } from '../talk-contract.ts';
import type { CallOptions } from '../task-view.ts';
import { viewQuestion, viewTask } from '../views.ts';
import type { OrderParts } from './order-records.ts';
import { submit } from './task-calls.ts';

const QUESTIONS_SHOWN_MAX = 200;

/** Talk with agents: words for them, questions that wait for a person, and their answers. */
export function questionCalls(parts: OrderParts) {
  const { ledger } = parts.world;
  const { read } = ledger;
  return {
    sayWords: (request, options) => sayByHand(parts, request, options),
    listQuestions: async ({ task: reference } = {}) => {
      const task = reference === undefined ? null : findTask(read, reference);
      if (isRefusal(task)) return task;
      const open =
        task === null ? selectOpenQuestions(read, QUESTIONS_SHOWN_MAX) : selectOpenQuestionsOf(read, task.id);
      return { questions: open.map(viewQuestion) };
    },
    answerQuestion: async ({ task, answer: option, from }, options) => {
      const question = questionNamed(read, task);
      if (isRefusal(question)) return question;
      const facts: GivenAnswer = { question, option, by: from ?? 'operator', reason: null };
      const answered = await submit(ledger, { command: answerQuestion, facts }, options);
      if (isRefusal(answered)) return answered;
      await goOn(parts, answered.question);
      return viewQuestion(answered.question);
    },
  } satisfies Partial<Calls>;
}

/** An order that waited for the answer goes on, or is settled. */
async function goOn({ runner, dispatcher }: OrderParts, { kind, taskId, answer }: Asked['question']): Promise<void> {
  if (kind === 'permission') return;
  if (dispatcher !== null) dispatcher.nudge();
  // This node runs no agents: it settles an order that is to stop, and leaves one that goes on to the next node.
  else if (answer?.option !== 'yes') await runner.drive(taskId);
}

/** The question of this id, or the one open question of the task that the reference means. */
function questionNamed(read: Reader, reference: string): string | Refusal {
  if (reference.startsWith('qst_')) return selectQuestion(read, reference)?.id ?? notFound(reference);
  const task = findTask(read, reference);
  if (isRefusal(task)) return task;
  const open = selectOpenQuestionsOf(read, task.id);
  const [only, second] = open;
  if (!only) return noneOpen(read, task);
  if (!second) return only.id;
  const details = open.map(({ id, what }) => `${id}  ${what}`);
  const hint = `name one of them: baton answer ${only.id} ${only.options.join('|')}`;
  return { ...refuse('ambiguous_question', `${task.id} has ${open.length} open questions`), hint, details };
}

function noneOpen(read: Reader, { id }: Task): Refusal {
  const last = selectLastQuestionOf(read, id)?.answer;
  const before = last ? `; the last one was answered ${last.option}${last.reason ? `: ${last.reason}` : ''}` : '';
  return refuse('question_not_found', `${id} has no open question${before}`);
}

function notFound(id: string): Refusal {
  return refuse('question_not_found', `there is no question ${id}`);
}

/** Keeps the words first, then tells the running agent: words that a crash leaves undelivered are told at the next turn. */
async function sayByHand(
  { world: { ledger }, runner }: OrderParts,
  { task: reference, text }: RequestOf<'sayWords'>,
  options: CallOptions = {},
): Promise<SayAnswer | Refusal> {
  const taskId = nameTask(ledger.read, reference);
  if (isRefusal(taskId)) return taskId;
  const said = await submit(ledger, { command: sayWords, facts: { taskId, text } }, options);
  if (isRefusal(said)) return said;
  const { task, words } = said;
  const { runId } = task;
  const isNew = undeliveredWords(ledger.read, taskId).some(({ id }) => id === words.id);
  const isTold = isNew && runId !== null && runner.tell(runId, { kind: 'words', text });
  if (isTold) await ledger.submit(recordDelivery, { taskId, runId, words: [words.id], by: 'stream' });
  return { task: viewTask(task), words: words.id, text, isDelivered: isTold || !isNew, isRunning: runId !== null };
}
