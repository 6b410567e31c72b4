import type * as z from 'zod';
import { type MessageKind, ownCodeOr, type Rule } from '../judge-value.ts';
import * as rules from './rules.ts';
import { type AofFile, FILE_SCHEMAS } from './schema/files.ts';
import { type AofEnvelope, MESSAGE_SCHEMAS, untypedEnvelopeSchema } from './schema/messages.ts';

export type AofMessage = AofEnvelope | AofFile;

export const AOF_SCHEMAS = { ...MESSAGE_SCHEMAS, ...FILE_SCHEMAS } as const;

export type AofKind = keyof typeof AOF_SCHEMAS;

interface Particulars<Message> {
  readonly rules?: readonly Rule<Message>[];
  readonly advice?: readonly Rule<Message>[];
}

/** The schema, rules and code of each kind. */
export const AOF_KINDS: Readonly<Record<AofKind, MessageKind<AofMessage>>> = {
  'completion.report': message('completion.report', MESSAGE_SCHEMAS['completion.report'], {
    rules: [rules.reportTestsOverTotal],
    advice: [rules.reportBlockersMissing],
  }),
  'status.update': message('status.update', MESSAGE_SCHEMAS['status.update'], {
    rules: [rules.statusUpdateSaysNothing],
  }),
  'handoff.request': message('handoff.request', MESSAGE_SCHEMAS['handoff.request'], {
    advice: [rules.requestCriteriaDropped],
  }),
  'handoff.accepted': message('handoff.accepted', MESSAGE_SCHEMAS['handoff.accepted']),
  'handoff.rejected': message('handoff.rejected', MESSAGE_SCHEMAS['handoff.rejected']),
  run: file('run', FILE_SCHEMAS.run),
  run_heartbeat: file('run_heartbeat', FILE_SCHEMAS.run_heartbeat),
  run_result: file('run_result', FILE_SCHEMAS.run_result, {
    rules: [rules.resultTestsOverTotal],
    advice: [rules.resultBlockersMissing],
  }),
  handoff: file('handoff', FILE_SCHEMAS.handoff, { advice: [rules.handoffCriteriaDropped] }),
  task: file('task', FILE_SCHEMAS.task),
  event: file('event', FILE_SCHEMAS.event),
};

/** For an envelope whose type is missing or not a string. */
export const UNTYPED_ENVELOPE = judged('', untypedEnvelopeSchema, { code: 'invalid_envelope' });

function message<Message extends AofEnvelope>(
  kind: string,
  schema: z.ZodType<Message>,
  of: Particulars<Message> = {},
): MessageKind<AofMessage> {
  return judged(kind, schema, { ...of, rules: [rules.taskIdDiffers, ...(of.rules ?? [])], code: 'invalid_envelope' });
}

function file<Message>(kind: string, schema: z.ZodType<Message>, of: Particulars<Message> = {}) {
  return judged(kind, schema, { ...of, code: `invalid_${kind}` });
}

function judged<Message>(
  kind: string,
  schema: z.ZodType<Message>,
  of: Particulars<Message> & { readonly code: string },
): MessageKind<AofMessage> {
  const whole: MessageKind<Message> = {
    kind,
    schema,
    rules: of.rules ?? [],
    advice: of.advice ?? [],
    unknownFields: () => 'keep',
    codeOf: (errors) => ownCodeOr(errors, of.code),
  };
  // Rules see only messages that their own schema let through.
  return whole as unknown as MessageKind<AofMessage>;
}
