import * as z from 'zod';
import { WORK_VERDICTS } from '../../domain/order/work-verdict.ts';
import { REFUSALS, type RefusalCode } from '../../domain/refusal.ts';
import { ATTENTION_KINDS, REVIEW_RISKS } from '../../domain/task/attention.ts';
import { COMPLETION_OUTCOMES } from '../../domain/task/resolve-completion.ts';
import type * as api from '../review/review-contract.ts';
import type * as talk from '../review/talk-contract.ts';
import { count, flag, nullableText, shape, text, texts } from '../shape.ts';
import { REMOTE_ENDS, type RemoteView } from './remote-view.ts';

// The schemas of what a task or a person waits for.

export const reasoned = {
  reason: nullableText,
  cause: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('claimed') }),
      z.object({ kind: z.literal('retried') }),
      z.object({
        kind: z.literal('run-ended'),
        end: z.enum(['session_end', 'stale_heartbeat', 'machine_restarted']),
        outcome: z.enum(COMPLETION_OUTCOMES).nullable(),
      }),
      z.object({
        kind: z.literal('failed'),
        code: z.enum(Object.keys(REFUSALS) as RefusalCode[]),
        message: text,
      }),
    ])
    .nullable(),
};

/** The part of another node in a task. */
export const remote = shape<RemoteView>({
  direction: z.enum(['sent', 'received']),
  node: nullableText,
  agent: nullableText,
  to: texts,
  status: nullableText,
  ended: z.enum(REMOTE_ENDS).nullable(),
  progress: z.number().nullable(),
  note: nullableText,
  etaAt: nullableText,
  firstEtaAt: nullableText,
  deadlineAt: nullableText,
  isOverdue: flag,
  toldAt: nullableText,
  theirTask: nullableText,
  uid: text,
  corrId: text,
});

/** The obstacles of a task in backlog or ready. */
export const wait = {
  missingAgent: nullableText,
  waitsFor: texts,
  quota: z.object({ account: text, until: text }).nullable(),
  remote: remote.nullable(),
};
/** Tasks, or a person, that change the same files. */
export const overlaps = z.array(z.object({ task: nullableText, files: count, paths: texts }));
/** A verdict on work; null where there is none yet. */
export const verdictFields = {
  verdict: z.enum(WORK_VERDICTS),
  isSkipped: flag,
  stoppedBy: nullableText,
  signal: z.enum(['SUCCESS', 'PARTIAL_SUCCESS', 'FAILURE', 'ABORTED']),
  isUnchecked: flag,
  isStopped: flag,
};
export const openVerdictFields = {
  ...verdictFields,
  verdict: verdictFields.verdict.nullable(),
  signal: verdictFields.signal.nullable(),
};
export const waitingWork = {
  doneBy: nullableText,
  files: count,
  readyAt: text,
  ...openVerdictFields,
  overlaps,
};

/** The fields of a question to a person. */
export const question = {
  id: text,
  taskId: text,
  runId: nullableText,
  kind: text,
  what: text,
  where: nullableText,
  why: nullableText,
  options: texts,
  default: text,
  askedAt: text,
  deadlineAt: nullableText,
  answer: shape<talk.QuestionAnswerView>({ answer: text, by: text, reason: nullableText, at: text }).nullable(),
};

export const attentionFields = {
  id: text,
  kind: z.enum(ATTENTION_KINDS),
  task: nullableText,
  title: text,
  why: text,
  actions: texts,
  deadlineAt: nullableText,
  default: nullableText,
  risk: z.enum(REVIEW_RISKS).nullable(),
  owner: text,
};
const attentionView = shape<api.AttentionView>(attentionFields);

export const attentionList = shape<api.AttentionList>({ items: z.array(attentionView), total: count });
