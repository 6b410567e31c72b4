import type { Refusal } from '../domain/refusal.ts';
import type { SessionFact } from '../domain/session/session.ts';
import type { Command } from '../ledger/commit-queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { crashPoint } from '../platform/process/crash-point.ts';

export interface SessionCommit<Facts, Result> {
  readonly command: Command<Facts, Result>;
  readonly facts: Facts;
  /** The same request sent again with it gets the first answer. */
  readonly key?: string | undefined;
}

/** Makes the commit that writes a fact of a session. A test kills the process right before it and right after it. */
export async function commitSessionFact<Facts, Result>(
  kind: SessionFact['kind'],
  ledger: Ledger,
  { command, facts, key }: SessionCommit<Facts, Result>,
): Promise<Result | Refusal> {
  crashPoint(`session.${kind}.found`);
  const answer = await ledger.submitOnce(key, command, facts);
  crashPoint(`session.${kind}.kept`);
  return answer;
}
