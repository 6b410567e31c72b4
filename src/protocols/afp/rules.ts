import type { Issue } from '../issue.ts';
import { readJson } from '../json-text.ts';
import type { UnknownFieldPolicy } from '../judge-value.ts';
import type { AfpRequest, AfpResponse } from './schema.ts';

/** AFP §6: custom fields start with x-. AFP §2.1, afp:unknown-fields: agents send no session field of any name. */
export const agentPayloadFields: UnknownFieldPolicy = (key) =>
  key.startsWith('x-') && !isSessionField(key.slice(2)) ? 'allow' : 'refuse';

function isSessionField(key: string): boolean {
  return /^session[_-]?(?:id)?$/i.test(key);
}

/** afp:content */
export function contentContradictsMediaType({ artifact }: AfpRequest): Issue[] {
  const path = ['artifact', 'content'];
  const mediaType = artifact.media_type.toLowerCase().split(/[ \t;]/, 1)[0] ?? '';
  const { content } = artifact;
  if (typeof content !== 'string') {
    return mediaType.startsWith('text/')
      ? [{ path, kind: 'wrong-type', expected: `text under ${mediaType}`, got: content }]
      : [];
  }
  if (mediaType !== 'application/json' && !mediaType.endsWith('+json')) return [];
  const reading = readJson(content);
  // A repeated key is a flaw of the artifact, which the reviewer judges.
  if (reading.kind === 'value' || reading.value !== undefined) return [];
  return [{ ...reading.issue, path }];
}

/** afp:response: feedback exactly if success, error exactly if error. */
export function bodyContradictsStatus(response: AfpResponse): Issue[] {
  const [needed, forbidden] =
    response.status === 'success' ? (['feedback', 'error'] as const) : (['error', 'feedback'] as const);
  const because = `status is ${response.status}`;
  const issues: Issue[] = [];
  if (response[needed] === undefined) issues.push({ path: [needed], kind: 'needed-because', because });
  if (response[forbidden] !== undefined) issues.push({ path: [forbidden], kind: 'not-allowed', because });
  return issues;
}

/** afp:iteration: only the answer to an undecodable request has iteration 0. */
export function iterationZeroWithoutError(response: AfpResponse): Issue[] {
  if (response.iteration !== 0 || response.status === 'error') return [];
  return [{ path: ['iteration'], kind: 'below', min: 1, exclusive: false, got: 0 }];
}

/** afp:response: two areas with one id. */
export function areaIdRepeated(response: AfpResponse): Issue[] {
  const seen = new Set<string>();
  const issues: Issue[] = [];
  response.feedback?.areas_for_improvement.forEach(({ id }, at) => {
    if (seen.has(id)) issues.push({ path: ['feedback', 'areas_for_improvement', at, 'id'], kind: 'repeated', got: id });
    seen.add(id);
  });
  return issues;
}

/** AFP §3, afp:acknowledgement: from iteration 2 on applied_feedback should be present. */
export function appliedFeedbackMissing(request: AfpRequest): Issue[] {
  if (request.iteration === 1 || request.applied_feedback !== undefined) return [];
  const because = 'from iteration 2 on it says what became of the feedback';
  return [{ path: ['applied_feedback'], code: 'applied_feedback_missing', kind: 'advised', because }];
}

/** AFP §3.2.1, afp:acknowledgement */
export function reasonMissing(request: AfpRequest): Issue[] {
  const issues: Issue[] = [];
  request.applied_feedback?.items.forEach((item, at) => {
    if (item.status === 'accepted' || item.reason_code || item.explanation) return;
    const path = ['applied_feedback', 'items', at];
    issues.push({ path, code: 'reason_missing', kind: 'needs-one-of', fields: ['reason_code', 'explanation'] });
  });
  return issues;
}
