import type { Decision } from '../../domain/review/feedback.ts';
import { encodeAfp } from './encode.ts';
import type { AfpRequest } from './schema.ts';

export interface RequestFacts {
  readonly iteration: number;
  readonly artifact: AfpRequest['artifact'];
  /** The decisions of the round before; null in the first one. */
  readonly decisions: readonly Decision[] | null;
  readonly ask: string | null;
}

/** AFP §3: the Request Object of a round, as JSON. */
export function writeRequest({ iteration, artifact, decisions, ask }: RequestFacts): string {
  const request: AfpRequest = {
    protocol_version: '1.2',
    iteration,
    artifact,
    ...(decisions && { applied_feedback: { items: decisions.map(itemOf) } }),
  };
  return encodeAfp((ask === null ? request : { ...request, 'x-ask': ask }) as AfpRequest);
}

function itemOf({ id, status, reasonCode, explanation }: Decision) {
  return {
    id,
    status,
    ...(reasonCode !== null && { reason_code: reasonCode }),
    ...(explanation !== null && { explanation }),
  };
}
