import { lstatSync } from 'node:fs';
import type { Execution } from '../../domain/execution/execution.ts';
import { firstCommit, lastCommit } from '../../domain/execution/recorded-changes.ts';
import { wholeWork } from '../../domain/execution/whole-work.ts';
import type { Report } from '../../domain/order/report.ts';
import { wholePath } from '../../domain/work/path-text.ts';
import { earlierRounds } from '../../ledger/statements/run-facts.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { faultFacts } from '../../platform/logger.ts';
import { changedFiles } from '../../workspace/diff-shadows.ts';
import { WorkspaceFault } from '../../workspace/workspace-fault.ts';
import { firstState, stateWithoutWork } from '../earlier-rounds.ts';
import type { WorkWorld } from '../work-world.ts';
import { folderOfExecution } from './work-folder.ts';

/** The work that waits with this round: its files where there are earlier rounds, and its lines. */
export async function sizeOfWork(world: WorkWorld, open: OpenOrder): Promise<Pick<Report, 'whole' | 'lines'>> {
  const { execution } = open;
  const earlier = earlierInPlace(world, open);
  const whole = wholeWork(execution, earlier, (path) => isThere(wholePath(execution.order.workspaceRoot, path)));
  const lines = await changedLines(world, open, earlier);
  return { ...(whole && { whole }), ...(lines && { lines }) };
}

/** The rounds before this one; a worktree has the work of all, and its report too. */
function earlierInPlace({ ledger }: WorkWorld, { task, round, execution }: OpenOrder): readonly Execution[] {
  if (execution.snapshotted?.workplace.kind !== 'in-place') return [];
  return earlierRounds(ledger.read, { taskId: task.id, round });
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * The lines that a reviewer has to read, those of the earlier rounds in the same files too. A difference that git cannot show now is
 * only not counted.
 */
async function changedLines(
  { dataFolder, log }: WorkWorld,
  { execution, round }: Pick<OpenOrder, 'execution' | 'round'>,
  earlier: readonly Execution[],
): Promise<Report['lines'] | null> {
  const { shadows } = folderOfExecution(execution, dataFolder);
  const [own, after, found] = [firstCommit(execution), lastCommit(execution), execution.snapshotted?.commit];
  if (shadows === null || own === null || after === null || !found) return null;
  try {
    const state = { before: own, found, firstRound: round, earlierSpans: [], earlierWork: [] };
    const first = await firstState(shadows, state, { earlier: () => earlier });
    const before = await stateWithoutWork({ theirs: shadows, ...first });
    const changed = await changedFiles(shadows, { before, after });
    const sum = (of: 'added' | 'removed') => changed.reduce((total, file) => total + (file[of] ?? 0), 0);
    return { added: sum('added'), removed: sum('removed') };
  } catch (error) {
    if (!(error instanceof WorkspaceFault)) throw error;
    log.log('report.not_counted', faultFacts(error));
    return null;
  }
}
