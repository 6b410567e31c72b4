import * as z from 'zod';
import type * as api from '../trace-contract.ts';
import { count, flag, json, nullableText, shape, text } from './shape.ts';

export const TRACE_SCHEMAS = {
  TraceRequest: z.object({
    task: text,
    /** Only this run of the task. */
    run: text.optional(),
    /** TURN and types of events, separated by commas. */
    type: text.optional(),
    /** `newest` begins at the end and goes back. */
    order: z.enum(['oldest', 'newest']).optional(),
    /** The cursor to continue after, in the order of the page. */
    after: text.optional(),
    limit: count.optional(),
    /** Long texts are not cut. */
    whole: flag.optional(),
  }),
  TracePage: shape<api.TracePage>({
    task: text,
    entries: z.array(
      shape<api.TraceEntryView>({
        cursor: text,
        eventId: count.nullable(),
        runId: nullableText,
        at: text,
        type: text,
        turnIndex: count.nullable(),
        isSuperseded: flag,
        isCut: flag,
        message: json,
      }),
    ),
    next: nullableText,
  }),
} as const;
