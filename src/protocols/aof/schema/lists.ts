import * as z from 'zod';
import {
  AOF_BLOCKERS_MAX,
  AOF_DELIVERABLES_MAX,
  AOF_HANDOFF_LIST_ITEMS_MAX,
  AOF_LIST_ITEM_CHARACTERS_MAX,
} from '../../../domain/limits.ts';
import { textUpTo } from '../../fields.ts';

// aof:limits bounds the lists; the document asks only for strings, so an item may be empty.
const listItemSchema = textUpTo(AOF_LIST_ITEM_CHARACTERS_MAX, 0);

export const deliverablesSchema = z.array(listItemSchema).max(AOF_DELIVERABLES_MAX);
export const blockersSchema = z.array(listItemSchema).max(AOF_BLOCKERS_MAX);
export const handoffListSchema = z.array(listItemSchema).max(AOF_HANDOFF_LIST_ITEMS_MAX);
