import { selectTask } from '../../../ledger/statements/tasks.ts';
import type { Reader } from '../../../ledger/tx.ts';
import type { NeedsYou } from '../../overview-contract.ts';
import type { AttentionView } from '../../review-contract.ts';
import { viewTaskLine } from '../../views.ts';
import { summarizeWork } from './work-summary.ts';

/** The entries of the queue with what a person wants to see before answering. */
export function needsYouOf(read: Reader, items: readonly AttentionView[]): readonly NeedsYou[] {
  return items.map((item) => {
    const task = item.task === null ? null : selectTask(read, item.task);
    const hasWork = item.kind === 'review' || item.kind === 'blocked';
    const work = task && hasWork ? summarizeWork(read, task.id) : null;
    return { ...item, line: task && viewTaskLine(task), agent: work?.agent ?? task?.routing.agent ?? null, work };
  });
}
