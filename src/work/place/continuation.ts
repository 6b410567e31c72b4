import { existsSync } from 'node:fs';
import { currentRun, type Execution } from '../../domain/execution/execution.ts';
import { firstCommit, lastCommit } from '../../domain/execution/recorded-changes.ts';
import type { ContinuedWork } from '../../domain/execution/work-fact.ts';
import { CONTINUED_ROUNDS_MAX } from '../../domain/limits.ts';
import type { Continuation } from '../../domain/order/prompt.ts';
import { refuse } from '../../domain/refusal.ts';
import type { WorkSoFar } from '../../domain/task/handoff-packet.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { recordDelivery, type SaidWords, undeliveredWords } from '../../operations/task/say-words.ts';
import { diffText } from '../../workspace/diff-shadows.ts';
import type { WorkWorld } from '../work-world.ts';
import { folderOfExecution } from './work-folder.ts';

/** The earlier work that an attempt continues, of its own round and of those that the order continues. */
interface EarlierWork extends Pick<Continuation, 'earlier' | 'words' | 'isTakenBack' | 'rewoundTo'> {
  readonly rounds: readonly Execution[];
}

export function earlierWork({ ledger }: WorkWorld, { execution }: OpenOrder): EarlierWork {
  const rounds = continuedExecutions(ledger.read, execution);
  const { words = null, isTakenBack = false, rewoundTo } = execution.continues ?? {};
  // An attempt of this round was told them before; in its session the agent still knows them.
  return {
    rounds,
    earlier: rounds.flatMap(({ attempts }) => attempts),
    words: words === null ? [] : [words],
    isTakenBack: isTakenBack && execution.attempts.length === 1,
    ...(rewoundTo !== undefined && execution.attempts.length === 1 && { rewoundTo }),
  };
}

interface Briefing {
  readonly isResumed: boolean;
  /** Words of a person that no attempt was told yet. */
  readonly said: readonly SaidWords[];
}

/** Records that an attempt was told these words with its prompt. */
export async function recordTold({ ledger }: WorkWorld, open: OpenOrder, said: readonly SaidWords[]): Promise<void> {
  if (said.length === 0) return;
  const words = said.map(({ id }) => id);
  await ledger.submit(recordDelivery, {
    taskId: open.task.id,
    runId: currentRun(open.execution).runId,
    words,
    by: 'prompt',
  });
}

export function wordsFor({ ledger }: WorkWorld, { task }: OpenOrder): readonly SaidWords[] {
  return undeliveredWords(ledger.read, task.id);
}

/** The same with the difference that another agent's attempts made, for one that did not make it. */
export async function continuationFor(
  world: WorkWorld,
  open: OpenOrder,
  { rounds, said, ...told }: EarlierWork & Briefing,
): Promise<Continuation> {
  const isTold = told.isResumed && open.execution.attempts.length > 1;
  const soFar = told.isResumed ? null : await workOfOthers(world, [...rounds, open.execution]);
  const words = [...(isTold ? [] : told.words), ...said.map(({ text }) => text)];
  return { ...told, words, soFar };
}

/** Null where nobody else worked before, or nothing of it was recorded. */
async function workOfOthers({ dataFolder }: WorkWorld, rounds: readonly Execution[]): Promise<WorkSoFar | null> {
  const now = rounds.at(-1)?.attempts.at(-1);
  const execution = rounds.findLast((round) => lastCommit(round) !== null);
  const last = execution?.attempts.findLast(({ collected }) => collected?.commit);
  // baton clean removed its files.
  if (!execution || execution.cleanedAt !== null) return null;
  if (!last || last.agent === now?.agent) return null;
  const [before, after] = [firstCommit(execution), lastCommit(execution)];
  const { shadows } = folderOfExecution(execution, dataFolder);
  if (before === null || after === null || !shadows) return null;
  const { text, isTruncated } = await diffText(shadows, { before, after }, { hasBinary: false });
  return { diff: text, isCut: isTruncated };
}

/** The round that an order continues. */
function continuedExecution(ledger: Reader, { task, round }: ContinuedWork): Execution {
  return selectExecution(ledger, { taskId: task, round });
}

/** The rounds that an order continues, one after the other, oldest first; of very many the newest. */
function continuedExecutions(ledger: Reader, { continues }: Pick<Execution, 'continues'>): readonly Execution[] {
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
export function waitingWorktree(ledger: Reader, continues: ContinuedWork) {
  const { snapshotted } = continuedExecution(ledger, continues);
  if (snapshotted?.workplace.kind !== 'worktree' || !existsSync(snapshotted.workplace.folder)) {
    return refuse('file-not-found', `the worktree of ${continues.task} is gone, so there is nothing to continue`);
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
  // The work continues here, wherever it was done before.
  const { elsewhere: _, ...here } = workplace;
  return { workplace: here, head, start };
}
