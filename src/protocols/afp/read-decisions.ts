import type { Decision } from '../../domain/review/feedback.ts';
import { isJsonObject } from '../../domain/words/json-object.ts';
import { readJson } from '../json-text.ts';
import { jsonCandidates } from './response-text.ts';

const STATUSES: ReadonlySet<unknown> = new Set(['accepted', 'rejected', 'partial']);
const REASON_CHARACTERS_MAX = 2_000;

/**
 * AFP §3.2: the decisions in what an agent said at its end: the last `applied_feedback` in it, alone or in a Markdown fence. An item
 * that is none is left out, so that its finding stays open; nothing is made up for it.
 */
export function readDecisions(text: string): readonly Decision[] {
  const lists = jsonCandidates(text).flatMap((candidate) => {
    const { value } = readJson(candidate);
    const applied = isJsonObject(value) ? (value.applied_feedback ?? value) : null;
    return isJsonObject(applied) && Array.isArray(applied.items) ? [applied.items] : [];
  });
  return (lists.at(-1) ?? []).flatMap(decisionOf);
}

function decisionOf(item: unknown): Decision[] {
  if (!isJsonObject(item)) return [];
  const { id, status, reason_code: code, explanation } = item;
  if (typeof id !== 'string' || !STATUSES.has(status)) return [];
  return [{ id, status: status as Decision['status'], reasonCode: textOf(code), explanation: textOf(explanation) }];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, REASON_CHARACTERS_MAX) : null;
}
