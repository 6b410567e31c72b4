import type { Decision, Finding } from '../../domain/review/feedback.ts';
import type { AfpRequest, AfpResponse } from './schema.ts';

// Translates between AFP's objects and the kernel's nouns.

export function findingsOf({ feedback }: AfpResponse): readonly Finding[] {
  const areas = feedback?.areas_for_improvement ?? [];
  return areas.map(({ id, aspect, description, recommendation }) => ({ id, aspect, description, recommendation }));
}

export function decisionsOf({ applied_feedback: applied }: AfpRequest): readonly Decision[] {
  return (applied?.items ?? []).map(({ id, status, reason_code, explanation }) => ({
    id,
    status,
    reasonCode: reason_code ?? null,
    explanation: explanation ?? null,
  }));
}
