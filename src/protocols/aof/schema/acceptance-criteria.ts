import * as z from 'zod';
import { AOF_HANDOFF_LIST_ITEMS_MAX, AOF_LIST_ITEM_CHARACTERS_MAX } from '../../../domain/limits.ts';
import type { IssueDetail } from '../../issue.ts';
import { handoffListSchema } from './lists.ts';

const ITEM_TOO_LONG: IssueDetail = { kind: 'too-long', max: AOF_LIST_ITEM_CHARACTERS_MAX, unit: 'characters' };

const ITEM_PUBLISHED = {
  anyOf: [{ type: 'string', maxLength: AOF_LIST_ITEM_CHARACTERS_MAX }, { not: { type: 'string' } }],
};

/**
 * aof:acceptance-criteria: what is no list of strings does not stop a handoff, so only the limits are held here; rules.ts warns of the
 * rest and decode.ts drops it.
 */
export const acceptanceCriteriaSchema = z
  .custom<string[]>()
  .check((payload) => {
    const list: unknown = payload.value;
    if (!Array.isArray(list)) return;
    if (list.length > AOF_HANDOFF_LIST_ITEMS_MAX) {
      payload.issues.push({ code: 'too_big', origin: 'array', maximum: AOF_HANDOFF_LIST_ITEMS_MAX, input: list });
    }
    list.forEach((item: unknown, at) => {
      if (typeof item !== 'string' || item.length <= AOF_LIST_ITEM_CHARACTERS_MAX) return;
      if (handoffListSchema.element.safeParse(item).success) return;
      payload.issues.push({ code: 'custom', path: [at], params: ITEM_TOO_LONG, input: item });
    });
  })
  .meta({
    anyOf: [{ type: 'array', maxItems: AOF_HANDOFF_LIST_ITEMS_MAX, items: ITEM_PUBLISHED }, { not: { type: 'array' } }],
  });
