import { type Execution, firstCommit, lastCommit } from '../../domain/execution/execution.ts';
import type { WorkSoFar } from '../../domain/handoff-packet.ts';
import type { GoingOn } from '../../domain/prompt.ts';
import { recordDelivery, type SaidWords, undeliveredWords } from '../../operations/say-words.ts';
import { diffText } from '../../workspace/diff-shadows.ts';
import type { OpenOrder, OrderWithRun } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { continuedExecutions } from './continued-work.ts';
import { folderOfExecution } from './work-folder.ts';

/** The earlier work that an attempt goes on with, of its own round and of those that the order continues. */
export interface EarlierWork extends Pick<GoingOn, 'earlier' | 'words' | 'isTakenBack'> {
  readonly rounds: readonly Execution[];
}

export function earlierWork({ ledger }: RunWorld, { execution }: OpenOrder): EarlierWork {
  const rounds = continuedExecutions(ledger.read, execution);
  const { words = null, isTakenBack = false } = execution.continues ?? {};
  // An attempt of this round was told them before; in its session the agent still knows them.
  return {
    rounds,
    earlier: rounds.flatMap(({ attempts }) => attempts),
    words: words === null ? [] : [words],
    isTakenBack: isTakenBack && execution.attempts.length === 1,
  };
}

interface Told {
  readonly isResumed: boolean;
  /** Words of a person that no attempt was told yet. */
  readonly said: readonly SaidWords[];
}

/** Records that an attempt was told these words with its prompt. */
export async function recordTold({ ledger }: RunWorld, at: OrderWithRun, said: readonly SaidWords[]): Promise<void> {
  if (said.length === 0) return;
  const words = said.map(({ id }) => id);
  await ledger.submit(recordDelivery, { taskId: at.task.id, runId: at.runId, words, by: 'prompt' });
}

export function wordsFor({ ledger }: RunWorld, { task }: OpenOrder): readonly SaidWords[] {
  return undeliveredWords(ledger.read, task.id);
}

/** The same with the difference that another agent's attempts made, for one that did not make it. */
export async function goingOnOf(
  world: RunWorld,
  at: OpenOrder,
  { rounds, said, ...told }: EarlierWork & Told,
): Promise<GoingOn> {
  const isTold = told.isResumed && at.execution.attempts.length > 1;
  const soFar = told.isResumed ? null : await workOfOthers(world, [...rounds, at.execution]);
  const words = [...(isTold ? [] : told.words), ...said.map(({ text }) => text)];
  return { ...told, words, soFar };
}

/** Null where nobody else worked before, or nothing of it was recorded. */
async function workOfOthers({ dataFolder }: RunWorld, rounds: readonly Execution[]): Promise<WorkSoFar | null> {
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
