import { type Refusal, refuse } from '../domain/refusal.ts';
import type { ReadSession, SessionForm } from '../domain/session-file.ts';
import { locateRefusal, locateWord } from './aop/locate-field.ts';
import { readTasks } from './aop/read-session.ts';
import { readWords } from './session-words.ts';

/** A session file: TASKs of AOP, or YAML in words. */
export const readSession: ReadSession = (text, terms) => {
  if (text.trim() === '') return refuse('E_PARSE_FAILURE', 'the session is empty');
  return readTasks(text, terms) ?? readWords(text, terms);
};

/** Replaces the place of a refused task by its path in the session file. */
export function locateInSession(refusal: Refusal, form: SessionForm): Refusal {
  return form === 'messages' ? locateRefusal(refusal) : locateWord(refusal);
}
