import type { OrderReport } from '../../api/order/order-contract.ts';
import { type Line, nextLine } from './lines.ts';
import type { Style } from './style.ts';

const MEANINGS = {
  logs: 'the output of its agent',
  verify: 'run the checks again and read all they print',
  diff: 'what it changed',
  undo: 'take back what it did',
  apply: 'merge it into your files',
  discard: 'throw it away',
  continue: 'continue it; add words, or --agent NAME',
  'task retry': 'try it again',
  'review approve': 'accept it',
} as const;

type Step = keyof typeof MEANINGS;

/** Commands to type next, one a line; they work as pasted, also with another data folder. */
export function nextSteps(report: OrderReport, style: Style, folderFlag: string): readonly Line[] {
  const steps = stepsAfter(report).map((step) => ({ step, call: `baton ${step} ${report.task.id}${folderFlag}` }));
  const width = Math.max(...steps.map(({ call }) => call.length));
  return steps.map(({ step, call }) => nextLine(call, style.faint(MEANINGS[step]), width));
}

function stepsAfter(report: OrderReport): readonly Step[] {
  const { changed, git, ignored, workplace, verdict, task, failures } = report;
  const failed: readonly Step[] = failures.length > 0 ? ['verify'] : [];
  const isNews = verdict !== 'checked' && hasBegun(report);
  const said: readonly Step[] = isNews ? [...(verdict === 'unchecked' ? [] : (['logs'] as const)), ...failed] : [];
  const open = (OPEN_STEPS[task.status] ?? []).filter((step) => step !== 'continue' || hasBegun(report));
  if (changed.length + git.length + ignored.length === 0 || !isRecorded(report)) return [...said, ...open];
  const kept: readonly Step[] = workplace?.kind === 'worktree' ? ['diff', 'apply', 'discard'] : ['diff', 'undo'];
  return [...said, ...kept, ...open];
}

/** Decisions that only the operator can make. */
const OPEN_STEPS: Readonly<Record<string, readonly Step[]>> = {
  blocked: ['continue', 'task retry'],
  review: ['review approve', 'continue'],
};

/** Without git there is nothing to show or to undo the work by. */
export function isRecorded({ summary }: Pick<OrderReport, 'summary'>): boolean {
  return summary === null || summary.commits.before !== null;
}

/** An agent was started for it. */
export function hasBegun({ summary }: Pick<OrderReport, 'summary'>): boolean {
  return summary === null || summary.run !== null;
}
