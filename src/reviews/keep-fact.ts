import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { Command } from '../ledger/commit-queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { crashPoint } from '../platform/process/crash-point.ts';

/**
 * Runs a command that writes a fact of a session or of an exchange. A crash at `found` happens after the step and before its
 * row, a crash at `kept` after the row and before the next step.
 */
export async function keepFact<Facts, Result>(
  ledger: Ledger,
  kind: string,
  { command, facts }: { readonly command: Command<Facts, Result>; readonly facts: Facts },
): Promise<Result | Refusal> {
  crashPoint(`feedback.found-${kind}`);
  const answer = await ledger.submit(command, facts);
  crashPoint(`feedback.kept-${kind}`);
  return answer;
}

/** The same where a refusal means that nobody waits for the step any more. */
export async function mustKeepFact<Facts, Result>(
  ledger: Ledger,
  kind: string,
  step: { readonly command: Command<Facts, Result>; readonly facts: Facts },
): Promise<Result> {
  const answer = await keepFact(ledger, kind, step);
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}

/** The same for an exchange that somebody may have stopped meanwhile. */
export async function keepUnlessOver<Facts, Result>(
  ledger: Ledger,
  kind: string,
  step: { readonly command: Command<Facts, Result>; readonly facts: Facts },
): Promise<void> {
  const answer = await keepFact(ledger, kind, step);
  if (isRefusal(answer) && answer.code !== 'stale_run') throw new Error(answer.message);
}
