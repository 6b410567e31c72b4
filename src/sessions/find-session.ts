import { type Refusal, refuse } from '../domain/refusal.ts';
import {
  type SessionRow,
  selectSession,
  selectSessionPage,
  selectSessionsNamed,
} from '../ledger/statements/sessions.ts';
import type { Reader } from '../ledger/tx.ts';

const CANDIDATES_MAX = 10;

/** The session that a reference means: its id, @ for the newest, or words of its id or name. */
export function findSession(tx: Reader, reference: string): SessionRow | Refusal {
  const words = reference.trim();
  const exact = selectSession(tx, reference) ?? selectSession(tx, words);
  if (exact) return exact;
  if (words === '@') {
    const [newest] = selectSessionPage(tx, { before: Number.MAX_SAFE_INTEGER, limit: 1 });
    return newest?.session ?? notFound('there is no session yet');
  }
  const found = words === '' ? [] : selectSessionsNamed(tx, words, CANDIDATES_MAX);
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  if (!only) return notFound(`there is no session ${JSON.stringify(reference)}`);
  const details = found.map(({ sessionId, name }) => (name === '' ? sessionId : `${sessionId}  ${name}`));
  return { ...refuse('ambiguous_session', `${JSON.stringify(reference)} may mean several sessions`), details };
}

function notFound(message: string): Refusal {
  return refuse('session_not_found', message);
}
