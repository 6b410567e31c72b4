import type { Dispatcher } from '../dispatch/dispatcher.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { decisionsFor, type Exchange, type ExchangeItem } from '../domain/review/feedback-exchange.ts';
import { fixWords } from '../domain/review/fix-words.ts';
import type { RoundStep } from '../domain/review/plan-round.ts';
import { DISPATCHER } from '../domain/task/decide-sender.ts';
import type { TaskName } from '../domain/task/task.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import type { Tx } from '../ledger/tx.ts';
import { continueTask, submitOrder } from '../operations/order/order-rounds.ts';
import type { CreatedTask } from '../operations/task/create-task.ts';
import { acceptOrder } from '../orders/accept-order.ts';
import { continueOrder } from '../orders/continue-order.ts';
import type { OrderWorld } from '../orders/order-world.ts';
import { findingsOf } from '../protocols/afp/feedback-nouns.ts';
import type { AfpResponse } from '../protocols/afp/schema.ts';
import { writeRequest } from '../protocols/afp/write-request.ts';
import { type PresentArtifact, presentArtifact } from './artifact.ts';
import type { FeedbackAnswer, FeedbackProvider } from './feedback-provider.ts';
import { keepUnlessOver } from './keep-fact.ts';
import { refuseOvertaken } from './policy-review.ts';
import { recordAnswer, recordAsked, subjectText, writeFixing } from './record-exchange.ts';
import { readFeedbackSession } from './record-feedback-session.ts';

export interface StepWorld {
  readonly world: OrderWorld;
  /** Null in a node that lives for one command. */
  readonly dispatcher: Pick<Dispatcher, 'carry' | 'report'> | null;
  provider(): Promise<FeedbackProvider>;
  /** Stops the order of a task for the operator. */
  stopTask(task: TaskName): Promise<void>;
}

/** An exchange under its id. */
export interface OpenExchange {
  readonly id: string;
  readonly exchange: Exchange;
}

type AskStep = Extract<RoundStep, { readonly kind: 'ask' }>;

/** Asks all reviewers of a round at once. Their answers are recorded in the order of their names, so that items do not depend on who is faster. */
export async function askReviewers(parts: StepWorld, open: OpenExchange, { round, reviewers }: AskStep): Promise<void> {
  const present = await presentArtifact(parts.world, open.exchange);
  const asked = reviewers.map((reviewer) => ({
    reviewer,
    answer: isRefusal(present) ? Promise.resolve(present) : answerOf(parts, open, { round, reviewer, present }),
  }));
  await Promise.allSettled(asked.map(({ answer }) => answer));
  for (const { reviewer, answer } of asked)
    await recordAnswerOf(parts, open, { round, reviewer, answer: await answer });
}

interface ReviewerAnswer {
  readonly round: number;
  readonly reviewer: string;
  readonly answer: FeedbackAnswer | Refusal;
}

async function recordAnswerOf(
  { world }: StepWorld,
  { id }: OpenExchange,
  { answer, ...of }: ReviewerAnswer,
): Promise<void> {
  const response = isRefusal(answer) ? null : (JSON.parse(answer.text) as AfpResponse);
  const findings = response === null ? [] : findingsOf(response);
  const refused = isRefusal(answer) ? answer : (response?.error ?? null);
  const error = refused && { code: refused.code, message: refused.message };
  const facts = { id, ...of, findings, error };
  await keepUnlessOver(world.ledger, 'exchange-answered', { command: recordAnswer, facts });
}

interface AskedReviewer {
  readonly round: number;
  readonly reviewer: string;
  readonly present: PresentArtifact;
}

/** An answer that was recorded before the node died is taken as it is; an iteration that was lost is asked again. */
async function answerOf(
  parts: StepWorld,
  { id, exchange }: OpenExchange,
  { round, reviewer, present }: AskedReviewer,
): Promise<FeedbackAnswer | Refusal> {
  const { ledger } = parts.world;
  const provider = await parts.provider();
  const before = exchange.round === round ? exchange.asked[reviewer] : undefined;
  if (before) {
    const found = await provider.answerTo(before.session, before.iteration);
    if (!isRefusal(found)) return found;
  }
  const session = exchange.sessions[reviewer] ?? null;
  const iteration = nextIteration(parts, session);
  const { subject, workspace, ask } = exchange;
  const decisions = iteration === 1 ? null : decisionsFor(exchange, reviewer);
  const text = writeRequest({ iteration, artifact: present.artifact, decisions, ask });
  const taskId = subject.kind === 'task' ? subject.taskId : exchange.fixTask;
  const { shown } = present;
  const terms = exchange.reviewerTerms.find(({ agent }) => agent.name === reviewer);
  const about = { workspace, taskId, by: DISPATCHER, ...(shown && { shown }), ...(terms && { terms }) };
  const begun = await provider.begin({ agent: reviewer, session, text, ...about });
  if (isRefusal(begun)) return begun;
  begun.answer.catch(() => null);
  const facts = { id, round, reviewer, session: begun.session, iteration };
  await keepUnlessOver(ledger, 'exchange-asked', { command: recordAsked, facts });
  return await begun.answer;
}

/** An iteration that ended in an error is asked again. */
function nextIteration({ world }: StepWorld, session: string | null): number {
  if (session === null) return 1;
  const found = readFeedbackSession(world.ledger.read, session);
  if (isRefusal(found) || found.last === null) return 1;
  return found.last.isSuccess ? found.last.iteration + 1 : found.last.iteration;
}

/** Has the fixing agent change the artifact: in a worktree of its own, or where the reviewed work lies. */
export async function beginFix(
  { world, dispatcher }: StepWorld,
  { id, exchange }: OpenExchange,
  items: readonly ExchangeItem[],
): Promise<Refusal | null> {
  const { fixer, fixTask, workspace, checks, round } = exchange;
  const words = fixWords(items, subjectText(exchange));
  const agent = fixer ?? '';
  const noted = (tx: Tx, created: CreatedTask | Refusal): CreatedTask | Refusal => {
    if (isRefusal(created)) return created;
    const taskId = created.task.id;
    const orderRound = selectOrder(tx, taskId)?.round ?? 1;
    writeFixing(tx, { id, round, taskId, items: words.items, orderRound });
    return created;
  };
  const report = async (task: TaskName) => await dispatcher?.report(task);
  const begun =
    fixTask === null
      ? await acceptOrder(
          world,
          { text: words.text, workspace, agent, checks, worktree: true, reviewRequired: true, origin: 'CLI' },
          { begin: (tx, order) => noted(tx, submitOrder(tx, order)) },
        )
      : await continueOrder(
          world,
          { task: fixTask, text: words.text, agent },
          {
            report,
            actor: DISPATCHER,
            begin: (tx, order) => refuseOvertaken(tx, exchange) ?? noted(tx, continueTask(tx, order)),
          },
        );
  if (isRefusal(begun)) return begun;
  dispatcher?.carry(begun.task.id);
  return null;
}
