import * as z from 'zod';
import { anyText, bool, json, nullableText, shape, texts, wholeNumber } from '../shape.ts';
import type * as api from './story-contract.ts';

const place = { id: wholeNumber, at: anyText, changed: wholeNumber };
const optionalNumber = z.number().nullable();

const step = shape<api.StoryStep>({
  call: anyText,
  tool: anyText,
  input: anyText,
  startedAt: anyText,
  endedAt: nullableText,
  result: nullableText,
  isSuccess: bool.nullable(),
  exitCode: optionalNumber,
});

const turn = shape<api.StoryTurn>({
  ...place,
  kind: z.literal('turn'),
  endedAt: nullableText,
  run: anyText,
  reviewer: nullableText,
  index: optionalNumber,
  thought: anyText,
  streamed: anyText,
  steps: z.array(step),
  files: texts,
  words: anyText,
  action: anyText,
  observation: anyText,
  confidence: optionalNumber,
  tokens: optionalNumber,
  costUsd: optionalNumber,
  isSuperseded: bool,
});

const item: z.ZodType<api.StoryItem> = z.union([
  shape<api.StoryAttempt>({
    ...place,
    kind: z.literal('attempt'),
    number: wholeNumber,
    run: anyText,
    agent: anyText,
    model: nullableText,
  }),
  turn,
  shape<api.StoryChecks>({
    ...place,
    kind: z.literal('checks'),
    when: z.enum(['before', 'after']),
    results: z.array(shape<api.StoryCheck>({ id: anyText, result: anyText, message: anyText })),
  }),
  shape<api.StoryQuestion>({
    ...place,
    kind: z.literal('question'),
    question: anyText,
    what: anyText,
    why: anyText,
    options: texts,
    deadlineAt: nullableText,
    answer: z.object({ option: anyText, by: anyText, at: anyText }).nullable(),
  }),
  shape<api.StoryOutput>({ ...place, kind: z.literal('output'), lines: texts }),
  shape<api.StoryTold>({ ...place, kind: z.literal('told'), by: anyText, text: anyText }),
  shape<api.StoryLine>({
    ...place,
    kind: z.literal('line'),
    tone: z.enum(['plain', 'good', 'bad', 'warn']),
    by: anyText,
    type: anyText,
    payload: json,
    more: texts,
  }),
]);

export const STORY_SCHEMAS = {
  StoryRequest: z.object({
    task: anyText,
    /** Events above this one. */
    after: wholeNumber.optional(),
    /** Events below this one. */
    before: wholeNumber.optional(),
    /** `newest` begins at the end and goes back. */
    order: z.enum(['oldest', 'newest']).optional(),
    /** Events of the part. */
    limit: wholeNumber.optional(),
  }),
  StoryPage: shape<api.StoryPage>({
    task: anyText,
    items: z.array(item),
    first: wholeNumber.nullable(),
    last: wholeNumber.nullable(),
    hasMore: bool,
  }),
} as const;
