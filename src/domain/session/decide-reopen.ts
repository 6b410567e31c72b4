import { type Refusal, refuse } from '../refusal.ts';

/** `continue` resumes tasks that have begun; `retry` starts them again. */
export type ReopenVerb = 'continue' | 'retry';

/** A session that an operator wants to continue or retry. */
export interface ReopenQuestion {
  readonly sessionId: string;
  readonly isOpen: boolean;
  /** A node runs its tasks now. */
  readonly isCarried: boolean;
  /** This node runs tasks: it does not live for one command. */
  readonly canCarry: boolean;
  readonly verb: ReopenVerb;
  /** Other limits than before are asked for. */
  readonly changesLimits: boolean;
}

export type ReopenDecision =
  /** It is over: its open tasks get another round. */
  | { readonly kind: 'again' }
  /** Its node died, and this one continues it from the same facts. */
  | { readonly kind: 'resume' }
  | Refusal;

/** The way in which a session is reopened, or why it is not. */
export function decideReopen(session: ReopenQuestion): ReopenDecision {
  const { sessionId: id, isOpen, isCarried, canCarry, verb, changesLimits } = session;
  if (!isOpen) return { kind: 'again' };
  if (isCarried) {
    const hint = `baton session show ${id} shows what runs, baton session stop ${id} ends it`;
    return { ...refuse('already_claimed', `session ${id} is still running`), hint };
  }
  // Its limits and rounds are facts that its next step follows from: they change when it is over.
  if (verb === 'continue' && canCarry && !changesLimits) return { kind: 'resume' };
  const message = `session ${id} was interrupted: no node runs it, and it is not over`;
  const resume = `baton session continue ${id} continues it here, baton up -d in the background`;
  return { ...refuse('already_claimed', message), hint: `${resume}; baton session stop ${id} ends it` };
}
