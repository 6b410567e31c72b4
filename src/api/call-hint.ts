import { REFUSALS, type Refusal } from '../domain/refusal.ts';

/** The hint for a wrong request made through the API; the command line points at --help instead. */
export const API_HINT = 'GET /v1/openapi.json has the fields of each call';
const COMMAND_HINT = REFUSALS.invalid_argument.hint;

/** For callers over HTTP and of a batch. */
export function hintForApi({ hint }: Pick<Refusal, 'hint'>): string {
  return hint === COMMAND_HINT ? API_HINT : hint;
}

/** For a command whose call went over HTTP: it shows the same hint as one that is its own node. */
export function hintForCommand({ hint }: Pick<Refusal, 'hint'>): string {
  return hint === API_HINT ? COMMAND_HINT : hint;
}
