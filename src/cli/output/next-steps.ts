import type { OrderReport } from '../../api/order-contract.ts';
import type { Look } from './look.ts';

const MEANINGS = {
  logs: 'what its agent printed',
  diff: 'what it changed',
  undo: 'put every file back',
  apply: 'bring it into your files',
  discard: 'drop it',
  'task retry': 'have it tried again',
} as const;

type Step = keyof typeof MEANINGS;

/** What to type next, one call a line; it works as pasted, also where another data folder was named. */
export function nextSteps(report: OrderReport, look: Look, folderFlag: string): readonly string[] {
  const steps = stepsAfter(report);
  const width = Math.max(...steps.map((step) => step.length));
  return steps.map((step) => {
    const call = `baton ${step} ${report.task.id}${folderFlag}`;
    return `next: ${call}${' '.repeat(width - step.length)}  ${look.faint(MEANINGS[step])}`;
  });
}

function stepsAfter(report: OrderReport): readonly Step[] {
  const { changed, workplace, signal, isUnchecked, task } = report;
  const said: readonly Step[] = signal === 'SUCCESS' || isUnchecked ? [] : ['logs'];
  const again: readonly Step[] = task.status === 'blocked' ? ['task retry'] : [];
  if (changed.length === 0 || !isRecorded(report)) return [...said, ...again];
  const kept: readonly Step[] = workplace?.kind === 'worktree' ? ['diff', 'apply', 'discard'] : ['diff', 'undo'];
  return [...said, ...kept, ...again];
}

interface Recorded {
  readonly extensions?: { readonly x_baton?: { readonly commits?: { readonly before: string | null } } };
}

/** Without git there is nothing to show or to undo the work by. */
export function isRecorded({ response }: Pick<OrderReport, 'response'>): boolean {
  const { extensions } = (response ?? {}) as Recorded;
  return extensions?.x_baton?.commits?.before !== null;
}
