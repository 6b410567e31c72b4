import { createHash } from 'node:crypto';
import type { AgentFacts } from '../domain/agent/agent.ts';
import type { ArtifactMark, Decision } from '../domain/review/feedback.ts';
import { type FeedbackSession, refuseIteration } from '../domain/review/feedback-session.ts';
import { isMediaTypeListed, MEDIA_TYPES_DEFAULT } from '../domain/task/media-type.ts';
import type { TaskName } from '../domain/task/task.ts';
import { isJsonObject } from '../domain/words/json-object.ts';
import { type AnsweredRequest, errorResponse } from '../protocols/afp/answer-request.ts';
import { decodeAfp } from '../protocols/afp/decode.ts';
import { encodeAfp } from '../protocols/afp/encode.ts';
import { decisionsOf } from '../protocols/afp/feedback-nouns.ts';
import type { AfpRequest, AppliedFeedback } from '../protocols/afp/schema.ts';
import { readJson } from '../protocols/json-text.ts';
import { withoutLineEnd } from '../protocols/text-size.ts';

/** A request that its provider can be asked, or the Response Object that refuses it. */
export type ReadRequest =
  | {
      readonly kind: 'request';
      readonly request: AfpRequest;
      readonly iteration: number;
      readonly artifact: ArtifactMark;
      readonly decisions: readonly Decision[];
      readonly taskId: TaskName | null;
      readonly answered: AnsweredRequest;
      /** Remarks about a request that is accepted. */
      readonly warnings: readonly string[];
      /** The Response Object for a request whose iteration is not due. */
      refused(message: string): string;
    }
  | { readonly kind: 'error'; readonly iteration: number; readonly text: string; readonly taskId?: TaskName | null };

interface RequestContext {
  readonly agent: AgentFacts;
  /** Null for a session that begins. */
  readonly known: FeedbackSession | null;
}

/** AFP §4.2: reads a Request Object. A wrong one, or one whose iteration is not due, is answered and uses up no iteration (afp:iteration). */
export function readRequest(
  { text, taskId = null }: { readonly text: string; readonly taskId?: TaskName | null | undefined },
  { agent, known }: RequestContext,
): ReadRequest {
  const next = (known?.last?.iteration ?? 0) + 1;
  const verdict = decodeAfp(withoutLineEnd(text), { kind: 'request' });
  const findings = known?.findings ?? [];
  if (verdict.verdict !== 'accepted' || verdict.kind !== 'request') {
    const about = { ...readablePart(text, next), known: findings };
    return refused(about, 'INVALID_REQUEST', problemsOf(verdict));
  }
  const request = verdict.message as AfpRequest;
  const answered = { iteration: request.iteration, applied: request.applied_feedback, known: findings };
  const notDue = known === null ? refuseFirst(request.iteration) : refuseIteration(known, request.iteration);
  if (notDue !== null) return refused(answered, 'INVALID_REQUEST', notDue);
  const { media_type: mediaType } = request.artifact;
  if (!isMediaTypeListed(mediaType, agent.mediaTypes ?? MEDIA_TYPES_DEFAULT)) {
    return refused(answered, 'UNSUPPORTED_MEDIA_TYPE', `${agent.name} does not review ${mediaType}`);
  }
  return {
    kind: 'request',
    request,
    iteration: request.iteration,
    artifact: markOf(request),
    decisions: decisionsOf(request),
    taskId,
    answered,
    warnings: verdict.warnings.map(({ message }) => message),
    refused: (message) => encodeAfp(errorResponse(answered, { code: 'INVALID_REQUEST', message })),
  };
}

function refused(answered: AnsweredRequest, code: string, message: string): ReadRequest {
  const text = encodeAfp(errorResponse(answered, { code, message }));
  return { kind: 'error', iteration: answered.iteration, text };
}

function refuseFirst(iteration: number): string | null {
  return iteration === 1 ? null : `the first iteration of a session is 1, not ${iteration}`;
}

function problemsOf(verdict: ReturnType<typeof decodeAfp>): string {
  if (verdict.verdict !== 'malformed') return 'it is not a Request Object';
  return verdict.errors.map(({ message }) => message).join('; ');
}

/** afp:iteration: 0 for a text that cannot be parsed; otherwise the request's own number, or the one that is due. */
function readablePart(text: string, next: number): Omit<AnsweredRequest, 'known'> {
  const { value } = readJson(text);
  if (!isJsonObject(value)) return { iteration: 0, applied: undefined };
  const { iteration, applied_feedback: applied } = value;
  const isNumber = typeof iteration === 'number' && Number.isSafeInteger(iteration) && iteration >= 1;
  return { iteration: isNumber ? iteration : next, applied: readableDecisions(applied) };
}

/** The decisions of a request that is wrong elsewhere: they are acknowledged as far as they have ids. */
function readableDecisions(applied: unknown): AppliedFeedback | undefined {
  if (!isJsonObject(applied) || !Array.isArray(applied.items)) return undefined;
  const ids = applied.items.flatMap((item) => (isJsonObject(item) && typeof item.id === 'string' ? [item.id] : []));
  return { items: ids.filter((id) => id !== '').map((id) => ({ id, status: 'accepted' as const })) };
}

function markOf({ artifact }: AfpRequest): ArtifactMark {
  const { media_type: mediaType, content, artifact_ref: ref = null } = artifact;
  const bytes = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content), 'utf8');
  return { mediaType, ref, sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length };
}
