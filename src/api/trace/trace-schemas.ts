import * as z from 'zod';
import { POINT_KINDS } from '../../domain/work/point.ts';
import { count, flag, json, nullableText, shape, text, texts } from '../shape.ts';
import type * as api from './trace-contract.ts';

const files = z.object({ added: count, changed: count, removed: count });

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
  PointList: shape<api.PointList>({
    task: text,
    points: z.array(
      shape<api.PointView>({
        point: text,
        at: text,
        kind: z.enum(POINT_KINDS),
        status: text,
        runId: nullableText,
        turnIndex: count.nullable(),
        eventId: count,
        gitHash: text,
        files,
        isSuperseded: flag,
        rewoundTo: nullableText,
      }),
    ),
  }),
  PreviewRequest: z.object({
    task: text,
    /** The number of a point. */
    to: text,
  }),
  RewindPreview: shape<api.RewindPreviewView>({
    task: text,
    point: text,
    status: text,
    folder: text,
    files: z.array(z.object({ path: text, status: text, added: count.nullable(), removed: count.nullable() })),
    dirty: texts,
    notes: texts,
    text,
  }),
  RewindRequest: z.object({
    task: text,
    /** The number of a point. */
    to: text,
    /** Replaces files too that were changed since the task recorded them, and saves them first. */
    keep: flag.optional(),
  }),
  RewindAnswer: shape<api.RewindAnswer>({
    rewoundTo: text,
    savedAs: text,
    task: text,
    status: text,
    before: text,
    folder: text,
    files: texts,
    kept: texts,
    notes: texts,
  }),
} as const;
