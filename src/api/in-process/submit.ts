import type { Refusal } from '../../domain/refusal.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { CallOptions } from '../task-view.ts';

export interface Submission<Facts, Result> {
  readonly command: Command<Facts, Result>;
  readonly facts: Facts;
}

/** A command, once or, with a key, once and for all. */
export function submit<Facts, Result>(
  ledger: Ledger,
  { command, facts }: Submission<Facts, Result>,
  { key }: CallOptions = {},
): Promise<Result | Refusal> {
  return key === undefined ? ledger.submit(command, facts) : ledger.submitOnce(key, command, facts);
}
