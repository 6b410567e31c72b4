import * as z from 'zod';
import { AFP_MEDIA_TYPE_CHARACTERS_MAX } from '../../domain/federation/message-limits.ts';
import { amount, anyValue, count, hash, id, patterned, text } from '../fields.ts';

// The encoder writes fields in this order.

const versionSchema = z.literal('1.2');

// The length is checked first: matching a text of megabytes would overflow the stack of the pattern matcher.
const NAME = '[\\w!#$&^.+-]+';
const KEY = "[\\w!#$%&'*.^`|~+-]+";
const mediaTypePattern = new RegExp(
  [
    `^(?=.{3,${AFP_MEDIA_TYPE_CHARACTERS_MAX}}$)${NAME}/${NAME}`,
    `(?:[ \\t]*;[ \\t]*${KEY}=(?:${KEY}|"(?:[^"\\\\]|\\\\.)*"))*$`,
  ].join(''),
);

/** AFP §3. Session fields belong to the tool layer and are unknown here (afp:unknown-fields). */
export const requestSchema = z.object({
  protocol_version: versionSchema,
  iteration: count(1),
  artifact: z.object({
    media_type: patterned(mediaTypePattern, 'media-type'),
    content: anyValue(),
    artifact_ref: hash().optional(),
  }),
  applied_feedback: z
    .object({
      items: z.array(
        z.object({
          id: id(),
          status: z.enum(['accepted', 'rejected', 'partial']),
          reason_code: z.string().optional(),
          explanation: z.string().optional(),
        }),
      ),
    })
    .optional(),
});

const feedbackSchema = z.object({
  confidence: z.object({ level: z.enum(['high', 'medium', 'low']), justification: text() }),
  positive_points: z.array(z.object({ aspect: text(), justification: text() })),
  areas_for_improvement: z.array(
    z.object({
      id: patterned(/^[a-z0-9._-]{8,128}$/, 'feedback-id'),
      aspect: text(),
      description: text(),
      recommendation: text(),
    }),
  ),
  general_summary: text(),
});

/** AFP §4. Iteration 0 answers a request that could not be parsed (afp:iteration). */
export const responseSchema = z.object({
  protocol_version: versionSchema,
  iteration: count(),
  status: z.enum(['success', 'error']),
  feedback: feedbackSchema.optional(),
  applied_feedback_ack: z
    .object({
      items: z.array(z.object({ id: id(), processing_status: z.enum(['acknowledged', 'unknown_id']) })),
    })
    .optional(),
  error: z.object({ code: text(), message: text() }).optional(),
});

const own = z.unknown().optional();
const partStart = { id: own, sessionID: own, messageID: own, type: own };

/** AFP §2.2.1. Loose: real tools add fields. Only `part.text` is specified; the other names give the order of §5.2. */
export const stepStartSchema = wrapper('step_start', z.looseObject({ ...partStart, snapshot: own }));
export const textSchema = wrapper('text', z.looseObject({ ...partStart, text: text(), time: own }));
export const stepFinishSchema = wrapper(
  'step_finish',
  z.looseObject({ ...partStart, snapshot: own, reason: own, cost: own, tokens: own }),
);

function wrapper<Type extends string, Part extends z.ZodType>(type: Type, part: Part) {
  return z.looseObject({ type: z.literal(type), timestamp: amount(), sessionID: id(), part });
}

export type AfpRequest = z.infer<typeof requestSchema>;
export type AfpResponse = z.infer<typeof responseSchema>;
export type AfpStepStart = z.infer<typeof stepStartSchema>;
export type AfpText = z.infer<typeof textSchema>;
export type AfpStepFinish = z.infer<typeof stepFinishSchema>;
export type AfpMessage = AfpRequest | AfpResponse | AfpStepStart | AfpText | AfpStepFinish;
export type AppliedFeedback = NonNullable<AfpRequest['applied_feedback']>;
export type AppliedFeedbackAck = NonNullable<AfpResponse['applied_feedback_ack']>;
