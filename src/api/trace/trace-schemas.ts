import * as z from 'zod';
import { POINT_KINDS } from '../../domain/work/point.ts';
import { anyText, bool, json, nullableText, shape, texts, wholeNumber } from '../shape.ts';
import type * as api from './trace-contract.ts';

const files = z.object({ added: wholeNumber, changed: wholeNumber, removed: wholeNumber });

export const TRACE_SCHEMAS = {
  TraceRequest: z.object({
    task: anyText,
    /** Only this run of the task. */
    run: anyText.optional(),
    /** TURN and types of events, separated by commas. */
    type: anyText.optional(),
    /** `newest` begins at the end and goes back. */
    order: z.enum(['oldest', 'newest']).optional(),
    /** The cursor to continue after, in the order of the page. */
    after: anyText.optional(),
    limit: wholeNumber.optional(),
    /** Long texts are not cut. */
    whole: bool.optional(),
  }),
  TracePage: shape<api.TracePage>({
    task: anyText,
    entries: z.array(
      shape<api.TraceEntryView>({
        cursor: anyText,
        eventId: wholeNumber.nullable(),
        runId: nullableText,
        at: anyText,
        type: anyText,
        turnIndex: wholeNumber.nullable(),
        isSuperseded: bool,
        isCut: bool,
        message: json,
      }),
    ),
    next: nullableText,
  }),
  PointList: shape<api.PointList>({
    task: anyText,
    points: z.array(
      shape<api.PointView>({
        point: anyText,
        at: anyText,
        kind: z.enum(POINT_KINDS),
        status: anyText,
        runId: nullableText,
        turnIndex: wholeNumber.nullable(),
        eventId: wholeNumber,
        gitHash: anyText,
        files,
        isSuperseded: bool,
        rewoundTo: nullableText,
      }),
    ),
  }),
  PreviewRequest: z.object({
    task: anyText,
    /** The number of a point. */
    to: anyText,
  }),
  RewindPreview: shape<api.RewindPreviewView>({
    task: anyText,
    point: anyText,
    status: anyText,
    folder: anyText,
    files: z.array(
      z.object({ path: anyText, status: anyText, added: wholeNumber.nullable(), removed: wholeNumber.nullable() }),
    ),
    dirty: texts,
    notes: texts,
    text: anyText,
  }),
  RewindRequest: z.object({
    task: anyText,
    /** The number of a point. */
    to: anyText,
    /** Replaces files too that were changed since the task recorded them, and saves them first. */
    keep: bool.optional(),
  }),
  RewindAnswer: shape<api.RewindAnswer>({
    rewoundTo: anyText,
    savedAs: anyText,
    task: anyText,
    status: anyText,
    before: anyText,
    folder: anyText,
    files: texts,
    kept: texts,
    notes: texts,
  }),
} as const;
