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
import { findTask } from '../../operations/find-task.ts';
import type { Calls } from '../node-client.ts';
import { viewQuestion } from '../views.ts';
import type { OrderParts } from './order-records.ts';
import { submit } from './task-calls.ts';

const QUESTIONS_SHOWN_MAX = 200;

/** Questions that wait for a person, and their answers. */
export function questionCalls(parts: OrderParts) {
  const { ledger } = parts.world;
  const { read } = ledger;
  return {
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
