import type { OverlapView } from '../../api/contract.ts';
import type { AttentionView, ReviewAnswer } from '../../api/review/review-contract.ts';
import { assertNever } from '../../domain/assert-never.ts';
import { counted } from '../../domain/words/counted.ts';
import type { Style } from '../output/style.ts';
import { durationText } from '../output/time-text.ts';
import { visible } from '../output/visible.ts';

const NAME_WIDTH = 'TASK-2026-02-09-057'.length;

export interface AttentionLook {
  readonly style: Style;
  /** For the commands that are shown. */
  readonly folderFlag: string;
  /** Aligns the titles. */
  readonly width: number;
  /** The word for an entry; its kind by default. */
  wordOf?(item: AttentionView): string | undefined;
}

/** One entry of the attention queue: its task, its owner, why it waits, and the commands that settle it. */
export function attentionLines(item: AttentionView, how: AttentionLook): readonly string[] {
  const { style, width } = how;
  const word = how.wordOf?.(item) ?? item.kind;
  const name = item.task ?? item.title;
  const title = item.task === null ? '' : `  ${visible(item.title)}`;
  const owner = style.faint(` · ${visible(item.owner)}`);
  const wait = waitText(item, style);
  return [
    `  ${style.strong(visible(name).padEnd(NAME_WIDTH))}  ${style.open(word.padEnd(width))}${title}${owner}`,
    ...[item.why, ...(wait === null ? [] : [wait])].map((text) => below(style.faint(visible(text)))),
    ...commandsOf(item).map((command) => below(`${command}${how.folderFlag}`)),
  ];
}

export function attentionPage(items: readonly AttentionView[], style: Style, folderFlag: string): string {
  const width = Math.max(0, ...items.map(({ kind }) => kind.length));
  return items.map((item) => attentionLines(item, { style, folderFlag, width }).join('\n')).join('\n');
}

function waitText({ deadlineAt, default: fallback }: AttentionView, { nowMs }: Style): string | null {
  if (deadlineAt === null) return null;
  return `${fallback} in ${durationText(Math.max(0, Date.parse(deadlineAt) - nowMs))}`;
}

/** The commands that settle an entry. */
function commandsOf({ id, kind, task, actions }: AttentionView): readonly string[] {
  switch (kind) {
    case 'question':
    case 'budget':
      return [`baton answer ${id} ${actions.join('|')}`];
    case 'review':
      if (actions.includes('decide')) return [`baton feedback ${id}`];
      if (actions.includes('close')) return [`baton capability close ${id}`];
      return [`baton review approve ${task}`, `baton review return ${task} -m "what to change"`];
    case 'incident':
      return [];
    case 'blocked':
      return BLOCKED_STEPS.filter(({ action }) => actions.includes(action)).flatMap(({ steps }) =>
        steps.map((step) => `baton ${step} ${task}`),
      );
    case 'overlap':
      return actions.map((action) => `baton ${action} ${task}`);
    default:
      return assertNever(kind);
  }
}

/** A task that can be continued has work to look at first. */
const BLOCKED_STEPS = [
  { action: 'continue', steps: ['diff', 'continue'] },
  { action: 'retry', steps: ['task retry'] },
  { action: 'cancel', steps: ['task cancel'] },
] as const;

function below(text: string): string {
  return `  ${' '.repeat(NAME_WIDTH)}  ${text}`;
}

const OVERLAP_PATHS_SHOWN = 3;

/** Names a task, or a person, that changes the same files. */
export function overlapText({ task, files, paths }: OverlapView): string {
  const rest = files > OVERLAP_PATHS_SHOWN ? ` and ${files - OVERLAP_PATHS_SHOWN} more` : '';
  return `${task ?? 'a person'} changes the same files: ${paths.slice(0, OVERLAP_PATHS_SHOWN).join(', ')}${rest}`;
}

export function reviewAnswerText({ task, answer, items }: ReviewAnswer, style: Style): string {
  const what = answer === 'approved' ? 'approved' : `returned with ${counted(items.length, 'item')}`;
  const lines = items.map(({ aspect, text }, at) => `  ${at + 1}. ${visible(`${aspect}: ${text}`)}`);
  return [`${style.strong(task.id)} ${what}: it is ${task.status} now`, ...lines].join('\n');
}
