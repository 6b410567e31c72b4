import type { Finding } from '../../domain/review/feedback.ts';
import { matchFindings } from '../../domain/review/match-findings.ts';
import { acknowledgeFeedback } from './acknowledge.ts';
import { encodeAfp } from './encode.ts';
import { findingsOf } from './feedback-nouns.ts';
import type { AfpResponse, AppliedFeedback } from './schema.ts';

export interface AnsweredRequest {
  readonly iteration: number;
  /** The decisions of the request, as far as it could be read. */
  readonly applied: AppliedFeedback | undefined;
  /** Every finding of the earlier iterations of the session. */
  readonly known: readonly Finding[];
}

/** AFP §4.2: a request that no provider answered. */
export function errorResponse(
  { iteration, applied, known }: AnsweredRequest,
  error: { readonly code: string; readonly message: string },
): AfpResponse {
  return { protocol_version: '1.2', iteration, status: 'error', ...ackOf(applied, known), error };
}

/** A Response Object as the requester gets it. */
export interface SentAnswer {
  readonly text: string;
  readonly findings: readonly Finding[];
  /** Null for a success. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

/**
 * The provider's response as the tool layer sends it on. The acknowledgement is the tool layer's own: it has the record of the
 * session (afp:acknowledgement). A finding that was given before has the id from then, and its new name beside it (afp:stable-ids).
 */
export function sentAnswer(response: AfpResponse, { applied, known }: AnsweredRequest): SentAnswer {
  const { feedback, applied_feedback_ack: _own, error, ...head } = response;
  const sent: AfpResponse = {
    ...head,
    ...(feedback && { feedback: { ...feedback, areas_for_improvement: stableAreas(response, known) } }),
    ...ackOf(applied, known),
    ...(error && { error }),
  };
  return {
    text: encodeAfp(sent),
    findings: findingsOf(sent),
    error: error ? { code: error.code, message: error.message } : null,
  };
}

function ackOf(applied: AppliedFeedback | undefined, known: readonly Finding[]): Partial<AfpResponse> {
  if (applied === undefined) return {};
  return { applied_feedback_ack: acknowledgeFeedback(applied, new Set(known.map(({ id }) => id))) };
}

type Area = NonNullable<AfpResponse['feedback']>['areas_for_improvement'][number];

function stableAreas(response: AfpResponse, known: readonly Finding[]): Area[] {
  const areas = response.feedback?.areas_for_improvement ?? [];
  const matches = matchFindings(known, findingsOf(response), { isOneReviewer: true });
  const earlier = new Map(matches.map(({ before, after }) => [after, known[before]?.id]));
  const taken = new Set([...earlier.values(), ...known.map(({ id }) => id)]);
  const fresh = new Set(areas.filter((_, at) => !earlier.has(at)).map(({ id }) => id));
  return areas.map((area, at) => {
    const id = earlier.get(at) ?? (taken.has(area.id) ? freeId(area.id, taken, fresh) : area.id);
    taken.add(id);
    return id === area.id ? area : { ...area, id, 'x-provider-id': area.id };
  });
}

const ID_CHARACTERS_MAX = 128;

/** An id for a new finding whose own id means another one. */
function freeId(id: string, taken: ReadonlySet<unknown>, fresh: ReadonlySet<string>): string {
  for (let number = 2; ; number++) {
    const suffix = `-${number}`;
    const free = `${id.slice(0, ID_CHARACTERS_MAX - suffix.length)}${suffix}`;
    if (!taken.has(free) && !fresh.has(free)) return free;
  }
}
