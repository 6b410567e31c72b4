import type { Calls, RequestOf } from '../../api/node-client.ts';
import type { ReviewAnswer } from '../../api/review/review-contract.ts';
import type { SayAnswer } from '../../api/review/talk-contract.ts';
import type { CallOptions } from '../../api/task/task-view.ts';
import { viewQuestion, viewTask } from '../../api/task/views.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { PlacedFinding } from '../../domain/review/exchange-fact.ts';
import { placePoints } from '../../domain/review/place-findings.ts';
import {
  findingOfItem,
  itemOfFinding,
  type ReviewComment,
  refuseApproval,
  refuseComments,
  returnedItems,
  returnWords,
} from '../../domain/review/review.ts';
import { YES } from '../../domain/task/question.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import {
  selectLastQuestionOf,
  selectOpenQuestions,
  selectOpenQuestionsOf,
  selectQuestion,
} from '../../ledger/statements/questions.ts';
import type { Reader } from '../../ledger/tx.ts';
import { answerQuestion, type GivenAnswer, type QuestionChange } from '../../operations/task/ask-question.ts';
import { findTask, nameTask } from '../../operations/task/find-task.ts';
import { recordDelivery, sayWords, undeliveredWords } from '../../operations/task/say-words.ts';
import { continueOrder } from '../../orders/continue-order.ts';
import {
  approveReview,
  type ReturnedOrder,
  type ReturnedReview,
  returnClaimed,
  returnOrdered,
} from '../../reviews/answer-review.ts';
import { findReview, type OpenReview } from '../../reviews/find-review.ts';
import { readReturns } from '../../reviews/return-rounds.ts';
import type { OrderParts } from '../order/order-records.ts';
import { submit } from '../task/task-calls.ts';
import { refuseWorkspaceFault } from '../work/work-calls.ts';

type Options = Parameters<typeof submit>[2];

/** A person's answers to reviews. The first one counts, and is recorded with its author. */
export function reviewCalls(parts: OrderParts) {
  const { ledger } = parts.world;
  return {
    approveReview: async ({ task, message = null }, options) => {
      const review = refuseApproval(message) ?? findReview(ledger.read, task);
      if (isRefusal(review)) return review;
      await settleReturns(parts, review.taskId);
      const facts = { taskId: review.taskId, seq: review.seq, message };
      return viewAnswer('approved', await submit(ledger, { command: approveReview, facts }, options));
    },
    returnReview: async ({ task, message, comments: given = [] }, options) => {
      const comments: readonly ReviewComment[] = [...(message === undefined ? [] : [{ text: message }]), ...given];
      const found = refuseComments(task, comments) ?? findReview(ledger.read, task);
      if (isRefusal(found)) return found;
      const { isOrdered, ...review } = found;
      if (!isOrdered) {
        const facts = { ...review, comments };
        return viewAnswer('returned', await submit(ledger, { command: returnClaimed, facts }, options));
      }
      const { exchange } = (await settleReturns(parts, review.taskId)) ?? {};
      const points = returnedItems(comments, review.seq).map(findingOfItem);
      return await returnByOrder(parts, { ...review, found: placePoints(exchange?.items ?? [], points) }, options);
    },
  } satisfies Partial<Calls>;
}

/** The returns of the person so far, with what became of the last one. A node that died may not have recorded that. */
async function settleReturns({ world: { ledger }, exchanges }: OrderParts, task: TaskName) {
  const open = readReturns(ledger.read, task);
  if (open === null || open.exchange.fixed !== null) return open;
  await (await exchanges()).settle(open);
  return readReturns(ledger.read, task);
}

/** The agent continues as by `baton continue`, in the transaction that records the return. */
async function returnByOrder(
  { world, runner, dispatcher, exchanges }: OrderParts,
  returned: OpenReview & { readonly found: readonly PlacedFinding[] },
  options: Options = {},
): Promise<ReviewAnswer | Refusal> {
  const { taskId, found } = returned;
  // A settled order whose report is still being written is over in a moment.
  await (dispatcher ? dispatcher.report(taskId) : runner.finish(taskId));
  const answer = await continueOrder(
    world,
    { task: taskId, text: returnWords(found.map(({ finding }) => itemOfFinding(finding))) },
    {
      ...options,
      report: (task) => (dispatcher ? dispatcher.report(task) : runner.finish(task)),
      begin: (tx, asked) => returnOrdered(tx, { ...returned, asked }),
    },
  ).catch(refuseWorkspaceFault);
  if (isRefusal(answer)) return answer;
  const { feedback, ...round } = answer as typeof answer & ReturnedOrder;
  dispatcher?.carry(answer.task.id);
  // A node without agents leaves the rest to the next one.
  if (dispatcher !== null) (await exchanges()).carry(feedback);
  return viewAnswer('returned', round, answer.plan);
}

type ReviewOutcome = Omit<ReturnedReview, 'items'> & Partial<Pick<ReturnedReview, 'items'>>;

function viewAnswer(
  answer: ReviewAnswer['answer'],
  answered: ReviewOutcome | Refusal,
  plan: ReviewAnswer['plan'] = null,
): ReviewAnswer | Refusal {
  if (isRefusal(answered)) return answered;
  const { task, events, items = [] } = answered;
  const [first] = events;
  const at = new Date(first?.at ?? task.updatedAt).toISOString();
  return { task: viewTask(task), answer, by: first?.actor ?? '', at, items, plan };
}

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

/** An order that waited for the answer continues, or is settled. */
async function goOn(
  { runner, dispatcher }: OrderParts,
  { kind, taskId, answer }: QuestionChange['question'],
): Promise<void> {
  if (kind === 'permission') return;
  if (dispatcher !== null) dispatcher.wake();
  // This node runs no agents: it settles an order that is to stop, and leaves one that continues to the next node.
  else if (answer?.option !== YES) await runner.drive(taskId);
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
