import type { StatusAnswer, TaskListRequest } from '../../api/contract.ts';

/** What a list does not show, and what to do about an empty one. */
export function listSummary(
  shown: number,
  counts: StatusAnswer['counts'],
  { status, agent, parent, all }: TaskListRequest,
): string | null {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (total === 0) return 'no tasks yet\nnext: baton task new "what is to be done"';
  const isNarrowed = status !== undefined || agent !== undefined || parent !== undefined;
  if (isNarrowed) return shown === 0 ? 'none of the tasks' : null;
  const over = (counts.done ?? 0) + (counts.cancelled ?? 0);
  if (all || over === 0) return null;
  const rest = `${over} that ${over === 1 ? 'is' : 'are'} done or cancelled: baton task list --all`;
  return shown === 0 ? `no open tasks; ${rest}` : `and ${rest}`;
}
