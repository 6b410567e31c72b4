import type { Problem } from '../codec.ts';
import { decodeAfp } from './decode.ts';
import { jsonCandidates } from './response-text.ts';
import type { AfpResponse } from './schema.ts';

/** The Response Object of a provider, or what is wrong with what it said. */
export type AnswerReading =
  | { readonly kind: 'answer'; readonly response: AfpResponse }
  | { readonly kind: 'none'; readonly problems: readonly Problem[] };

const NOTHING_SAID: Problem = { path: '', message: 'there is no Response Object in the answer' };

/**
 * afp:stream: of all that a provider said, in order, the last text that is a Response Object to this iteration. Nothing is
 * repaired: a text that comes close is told with its faults.
 */
export function readAnswer(texts: readonly string[], iteration: number): AnswerReading {
  let found: AfpResponse | null = null;
  let problems: readonly Problem[] = [NOTHING_SAID];
  for (const text of texts) {
    for (const candidate of jsonCandidates(text)) {
      const verdict = decodeAfp(candidate, { kind: 'response' });
      if (verdict.verdict === 'foreign' || verdict.kind === 'request') continue;
      if (verdict.verdict === 'malformed') problems = verdict.errors;
      else if (verdict.kind === 'response') {
        const response = verdict.message as AfpResponse;
        if (response.iteration === iteration) found = response;
        else problems = [wrongIteration(response.iteration, iteration)];
      }
    }
  }
  return found === null ? { kind: 'none', problems } : { kind: 'answer', response: found };
}

function wrongIteration(got: number, wanted: number): Problem {
  return { path: '/iteration', message: `iteration: is ${got}, and the request has ${wanted}` };
}
