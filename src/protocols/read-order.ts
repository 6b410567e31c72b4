import { type OrderTerms, orderOfWords } from '../domain/decisions/decide-order.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Round } from '../domain/round.ts';
import { type DecodedTask, readTaskOrder, refuseLargeTask, refuseText, taskOfOrder } from './aop/read-task-order.ts';
import { isV1Markdown } from './aop/v1-markdown.ts';
import { readJson, startsLikeJson } from './json-text.ts';

/** aop:detection: an order is a message if it looks like JSON or AOP v1 markdown, else plain words. */
export function readOrder(text: string, terms: OrderTerms, decoded?: DecodedTask): Round | Refusal {
  if (decoded) return readTaskOrder(text, terms, decoded);
  return startsLikeJson(text) || isV1Markdown(text) ? readTaskOrder(text, terms) : readWords(text, terms);
}

function readWords(text: string, terms: OrderTerms): Round | Refusal {
  const words = text.trim();
  if (words === '') return refuseText('the task is empty');
  // A number or a quoted string is JSON too, and no order.
  if (readJson(words).kind === 'value') return refuseText('this is JSON, but no AOP message');
  const order = orderOfWords(words, terms);
  const tooLarge = refuseLargeTask(taskOfOrder(order, null, terms.createdAt));
  const notes = { warnings: [], fallback: null };
  return tooLarge ?? { order, provenance: null, message: null, notes, dependsOn: null };
}
