import * as z from 'zod';
import { WORK_VERDICTS } from '../../domain/order/work-verdict.ts';
import { REFUSALS, type RefusalCode } from '../../domain/refusal.ts';
import { ATTENTION_KINDS, REVIEW_RISKS } from '../../domain/task/attention.ts';
import { COMPLETION_OUTCOMES } from '../../domain/task/resolve-completion.ts';
import type * as api from '../review/review-contract.ts';
import type * as talk from '../review/talk-contract.ts';
import { anyText, bool, nullableText, shape, texts, wholeNumber } from '../shape.ts';
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
        message: anyText,
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
  isOverdue: bool,
  toldAt: nullableText,
  silentSince: nullableText,
  theirTask: nullableText,
  uid: anyText,
  corrId: anyText,
});

/** The obstacles of a task in backlog or ready. */
export const wait = {
  missingAgent: nullableText,
  waitsFor: texts,
  quota: z.object({ account: anyText, until: anyText }).nullable(),
  remote: remote.nullable(),
};
/** Tasks, or a person, that change the same files. */
export const overlaps = z.array(z.object({ task: nullableText, files: wholeNumber, paths: texts }));
/** A verdict on work; null where there is none yet. */
export const verdictFields = {
  verdict: z.enum(WORK_VERDICTS),
  isSkipped: bool,
  stoppedBy: nullableText,
  signal: z.enum(['SUCCESS', 'PARTIAL_SUCCESS', 'FAILURE', 'ABORTED']),
  isUnchecked: bool,
  isStopped: bool,
};
export const openVerdictFields = {
  ...verdictFields,
  verdict: verdictFields.verdict.nullable(),
  signal: verdictFields.signal.nullable(),
};
export const waitingWork = {
  doneBy: nullableText,
  files: wholeNumber,
  readyAt: anyText,
  ...openVerdictFields,
  overlaps,
};

/** The fields of a question to a person. */
export const question = {
  id: anyText,
  taskId: anyText,
  runId: nullableText,
  kind: anyText,
  what: anyText,
  where: nullableText,
  why: nullableText,
  options: texts,
  default: anyText,
  askedAt: anyText,
  deadlineAt: nullableText,
  answer: shape<talk.QuestionAnswerView>({
    answer: anyText,
    by: anyText,
    reason: nullableText,
    at: anyText,
  }).nullable(),
};

export const attentionFields = {
  id: anyText,
  kind: z.enum(ATTENTION_KINDS),
  task: nullableText,
  title: anyText,
  why: anyText,
  actions: texts,
  deadlineAt: nullableText,
  default: nullableText,
  risk: z.enum(REVIEW_RISKS).nullable(),
  owner: anyText,
};
const attentionView = shape<api.AttentionView>(attentionFields);

export const attentionList = shape<api.AttentionList>({ items: z.array(attentionView), total: wholeNumber });
