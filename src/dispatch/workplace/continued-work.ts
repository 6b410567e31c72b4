import { existsSync } from 'node:fs';
import { type Execution, replay } from '../../domain/execution/execution.ts';
import type { Continued } from '../../domain/execution/work-fact.ts';
import { CONTINUED_ROUNDS_MAX } from '../../domain/limits.ts';
import { refuse } from '../../domain/refusal.ts';
import { selectFacts } from '../../ledger/statements/run-facts.ts';
import type { Reader } from '../../ledger/tx.ts';

/** The round that an order goes on with. */
function continuedExecution(ledger: Reader, { task, round }: Continued): Execution {
  return replay(selectFacts(ledger, { taskId: task, round }));
}

/** The rounds that an order goes on with, one after the other, oldest first; of very many the newest. */
export function continuedExecutions(ledger: Reader, { continues }: Pick<Execution, 'continues'>): readonly Execution[] {
  const executions: Execution[] = [];
  for (let at = continues; at !== null && executions.length < CONTINUED_ROUNDS_MAX; ) {
    const execution = continuedExecution(ledger, at);
    executions.unshift(execution);
    at = execution.continues;
  }
  return executions;
}

export type StartOfWork = Pick<
  NonNullable<Execution['snapshotted']>,
  'commit' | 'checkedCommit' | 'gitInventory' | 'gitState' | 'ignoredState' | 'checkedIgnored'
>;

/**
 * The worktree in which the continued work waits. It is compared with the files from before the first round, since the work of
 * all rounds is one.
 */
export function waitingWorktree(ledger: Reader, continues: Continued) {
  const { snapshotted } = continuedExecution(ledger, continues);
  if (snapshotted?.workplace.kind !== 'worktree' || !existsSync(snapshotted.workplace.folder)) {
    return refuse('E_FILE_NOT_FOUND', `the worktree of ${continues.task} is gone, so there is nothing to go on with`);
  }
  const { workplace, head, commit, checkedCommit, gitInventory, gitState, ignoredState, checkedIgnored } = snapshotted;
  const start: StartOfWork = {
    commit,
    checkedCommit,
    ...(gitInventory && { gitInventory }),
    ...(gitState !== undefined && { gitState }),
    ...(ignoredState !== undefined && { ignoredState }),
    ...(checkedIgnored !== undefined && { checkedIgnored }),
  };
  return { workplace, head, start };
}
