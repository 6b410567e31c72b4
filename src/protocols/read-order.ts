import { decideOrder, type OrderTerms, type OrderText, textOfWords } from '../domain/order/decide-order.ts';
import type { OrderField } from '../domain/order/order-field.ts';
import type { Refusal } from '../domain/refusal.ts';
import { locateRefusal } from './aop/locate-field.ts';
import {
  type DecodedTask,
  readTaskOrder,
  refuseLargeTask,
  refuseOrderText,
  taskOfOrder,
} from './aop/read-task-order.ts';
import { isV1Markdown } from './aop/v1-markdown.ts';
import { readJson, startsLikeJson } from './json-text.ts';

/** aop:detection: an order is a message if it looks like JSON or AOP v1 markdown, else plain words. */
export function readOrder(text: string, terms: OrderTerms, decoded?: DecodedTask): OrderText | Refusal {
  if (decoded) return readTaskOrder(text, terms, decoded);
  return isMessage(text) ? readTaskOrder(text, terms) : readWords(text, terms);
}

function isMessage(text: string): boolean {
  return startsLikeJson(text) || isV1Markdown(text);
}

/** Replaces the field of a refused order by its path: in the TASK, or in the request that brought the words. */
export function locateOrder(refusal: Refusal, text: string | null): Refusal {
  if (text !== null && isMessage(text)) return locateRefusal(refusal);
  const { field, ...located } = refusal;
  return field === undefined ? located : { ...located, path: REQUEST_PATHS[field.kind] ?? '' };
}

const REQUEST_PATHS: Readonly<Partial<Record<OrderField['kind'], string>>> = {
  agent: '/agent',
  model: '/agent',
  workspace: '/workspace',
  network: '/net',
  access: '/allow',
  'read-path': '/allow',
  'write-path': '/allow',
  output: '/checks',
  checkpoint: '/checks',
};

function readWords(text: string, terms: OrderTerms): OrderText | Refusal {
  const words = text.trim();
  if (words === '') return refuseOrderText('the task is empty');
  // A number or a quoted string is JSON too, and no order.
  if (readJson(words).kind === 'value') return refuseOrderText('this is JSON, but no AOP message');
  const read = textOfWords(words, terms);
  return refuseLargeTask(taskOfOrder(decideOrder(read, terms), null, terms.createdAt)) ?? read;
}
