import type { Issue } from '../issue.ts';
import type { MessageKind, Rule } from '../judge-value.ts';
import type { EnvelopeKind, RecordKind, RuntimeKind } from './markers.ts';
import {
  allBesideOthers,
  etaMissing,
  NO_ROUTE,
  routeMissing,
  skillDistributionIncomplete,
  toAgentIdAmongSeveral,
  unexpandedAll,
} from './rules.ts';
import { envelopeOfNoKindSchema } from './schema/envelope.ts';
import { EVENT_SCHEMAS, type RuntimeEnvelope, taskAckSchema } from './schema/events.ts';
import { RECORD_SCHEMAS, type RuntimeRecord } from './schema/records.ts';

export type RuntimeMessage = RuntimeEnvelope | RuntimeRecord;

type JudgedKind = MessageKind<RuntimeMessage>;

/** Each rule is listed under the kind that it judges. */
interface Particulars<Message> {
  readonly rules?: readonly Rule<Message>[];
  readonly advice?: readonly Rule<Message>[];
}

const addressed = { rules: [toAgentIdAmongSeveral, allBesideOthers], advice: [unexpandedAll] };

/** The schema, rules and code of each kind. */
export const JUDGED: Readonly<Record<RuntimeKind, JudgedKind>> = {
  message: event('message', addressed),
  reply: event('reply'),
  ack: event('ack'),
  task_create: event('task_create', {
    rules: [...addressed.rules, routeMissing, skillDistributionIncomplete],
    advice: addressed.advice,
  }),
  task_accept: event('task_accept', { rules: [etaMissing] }),
  task_update: event('task_update'),
  task_complete: event('task_complete'),
  task_failed: event('task_failed'),
  signal: event('signal'),
  dead_letter: event('dead_letter'),
  catalog: record('catalog'),
  index: record('index'),
  cursor: record('cursor'),
  review: record('review'),
};

/** An ack of the minimal profile. */
export const JUDGED_TASK_ACK = judged(
  { kind: 'ack', schema: taskAckSchema, codeOf: eventCode },
  { rules: [etaMissing] },
);

/** An event of unknown kind is always malformed, so that it is never acted on. */
export const JUDGED_NO_KIND = judged({ kind: 'none', schema: envelopeOfNoKindSchema, codeOf: eventCode }, {});

type EventOf<Kind extends EnvelopeKind> = Extract<RuntimeEnvelope, { kind: Kind }>;

function event<Kind extends EnvelopeKind>(kind: Kind, of: Particulars<EventOf<Kind>> = {}): JudgedKind {
  return judged({ kind, schema: EVENT_SCHEMAS[kind], codeOf: eventCode }, of);
}

function record(kind: RecordKind): JudgedKind {
  return judged({ kind, schema: RECORD_SCHEMAS[kind], codeOf: () => 'invalid_record' }, {});
}

function judged(what: Pick<MessageKind<unknown>, 'kind' | 'schema' | 'codeOf'>, of: Particulars<never>): JudgedKind {
  const { rules = [], advice = [] } = of;
  return { ...what, rules, advice, unknownFields: () => 'keep' } as unknown as JudgedKind;
}

/** runtime:codes: a task without a route has a code of its own; else an error in the envelope decides the code. A `payload` that is not an object counts as one. */
function eventCode(errors: readonly Issue[]): string {
  if (errors.every(({ code }) => code === NO_ROUTE)) return NO_ROUTE;
  const onlyPayload = errors.every(
    ({ code, path }) => code === 'invalid_payload' || code === NO_ROUTE || (path[0] === 'payload' && path.length > 1),
  );
  return onlyPayload ? 'invalid_payload' : 'invalid_envelope';
}
