import type { FeedbackItemView, FeedbackView, RoundView } from '../../api/review/feedback-contract.ts';
import { assertNever } from '../../domain/assert-never.ts';
import type { Refusal } from '../../domain/refusal.ts';
import { counted } from '../../domain/words/counted.ts';
import { foldLines, type Line, line, nextLine } from '../output/lines.ts';
import type { Style } from '../output/style.ts';
import { visible, visibleLines } from '../output/visible.ts';

/** One thing that a person is shown of feedback in rounds. */
export type FeedbackUpdate =
  | { readonly kind: 'step'; readonly view: FeedbackView }
  /** `isShown`: its answers were, before the findings were decided on. */
  | { readonly kind: 'round'; readonly view: FeedbackView; readonly round: RoundView; readonly isShown: boolean }
  | { readonly kind: 'end'; readonly view: FeedbackView }
  /** A person has to decide, and nobody is at this terminal. */
  | { readonly kind: 'waits'; readonly view: FeedbackView }
  | { readonly kind: 'refusal'; readonly refusal: Refusal };

/** Feedback in rounds, for people, with the commands to type next. */
export function feedbackText(update: FeedbackUpdate, style: Style, folderFlag: string): string | Refusal | null {
  if (update.kind === 'refusal') return update.refusal;
  const next =
    update.kind === 'waits'
      ? waitLines(update.view, folderFlag)
      : update.kind === 'end'
        ? nextLines(update.view, folderFlag)
        : [];
  return foldLines([...feedbackLines(update, style), ...next], style.columns) || null;
}

export function feedbackLines(update: Exclude<FeedbackUpdate, { readonly kind: 'refusal' }>, style: Style): Line[] {
  switch (update.kind) {
    case 'step':
      return stepLines(update.view, style);
    case 'round':
      return roundLines(update, style);
    case 'waits':
    case 'end':
      return endLines(update.view, style);
    default:
      return assertNever(update);
  }
}

function stepLines(view: FeedbackView, style: Style): Line[] {
  const { state, round, rounds, roundsMax, reviewers, fixer, subject } = view;
  if (state === 'asking') {
    const who = reviewers.join(', ');
    return [line(style.faint(`round ${round} of at most ${roundsMax}: asks ${who} about ${visible(subject)}`))];
  }
  const answered = answerLines(rounds.at(-1), style);
  if (state === 'deciding') return answered;
  return [...answered, line(style.faint(`${fixer} deals with them`), '  ')];
}

function roundLines(update: Extract<FeedbackUpdate, { readonly kind: 'round' }>, style: Style): Line[] {
  const { round, isShown } = update;
  const { fix } = round;
  const change = fix === null ? [] : [line(`${fix.task}: ${visible(fix.message ?? '')}`, '  ')];
  return [...(isShown ? [] : answerLines(round, style)), ...change];
}

function answerLines(round: RoundView | undefined, style: Style): Line[] {
  const answers = round?.answers ?? [];
  const width = Math.max(0, ...answers.map(({ reviewer }) => reviewer.length)) + 2;
  return answers.map(({ reviewer, findings, error }) => {
    const head = `  ${reviewer.padEnd(width)}`;
    if (error !== null) return line(style.bad(visible(`no answer: ${error.message}`)), head);
    return line(findings === 0 ? style.good('finds nothing') : counted(findings, 'finding'), head);
  });
}

const FATE_WIDTH = 'accepted'.length;

/** One finding: its fate, its words, who found it and when. */
export function itemLines(item: FeedbackItemView, head: string, style: Style): Line[] {
  const { id, aspect, description, recommendation, foundBy, reason, firstRound, lastRound } = item;
  const rounds = firstRound === lastRound ? `round ${firstRound}` : `rounds ${firstRound} to ${lastRound}`;
  const below = ' '.repeat(FATE_WIDTH + 4);
  const reasons = (reason ?? '').split(' | ').filter((text) => text !== '');
  return [
    line(style.strong(visible(aspect)), `  ${head}`, below),
    ...wordLines(description, below),
    // A person's point is its own advice.
    ...(recommendation === description ? [] : wordLines(recommendation, below, style.faint)),
    ...reasons.flatMap((text) => wordLines(text, `${below}- `)),
    line(style.faint(`${visible(id)}, ${foundBy.join(' and ')}, ${rounds}`), below),
  ];
}

/** Words of an agent keep their lines, each indented, so that none looks like another item. */
function wordLines(text: string, head: string, paint = (each: string) => each): Line[] {
  const rest = ' '.repeat(head.length);
  const lines = visibleLines(text.trim()).split('\n');
  return lines.map((each, at) => line(paint(each), at === 0 ? head : rest, rest));
}

function endLines(view: FeedbackView, style: Style): Line[] {
  const { items, end, state } = view;
  const table = items.flatMap((item) => itemLines(item, `${fateText(item.fate, style)}  `, style));
  const sum = sumText(view, style);
  const why = end === null ? (state === 'waiting' ? 'you review it next' : '') : (WHY[end.why] ?? '');
  const told = [why, end?.message ?? ''].filter((text) => text !== '').join(': ');
  const isFailed = end?.why === 'no-answer' || end?.why === 'fix-failed';
  return [...table, line(isFailed ? style.bad(visible(told)) : told === '' ? sum : `${sum}; ${visible(told)}`)];
}

function sumText({ items, end, rounds }: FeedbackView, style: Style): string {
  const left = items.filter(({ fate }) => fate === 'open' || fate === 'disputed').length;
  const after = `after ${counted(rounds.length, 'round')}`;
  if (left > 0)
    return style.open(`${left.toLocaleString('en-US')} of ${counted(items.length, 'finding')} left ${after}`);
  // Of a round whose answers are not all there nothing is known.
  const isCutOff = end?.why === 'stopped' && rounds.at(-1)?.answers.length === 0;
  return isCutOff
    ? style.open(`round ${rounds.length} was not answered by all`)
    : style.good(`nothing is left ${after}`);
}

const WHY: Readonly<Record<string, string>> = {
  'nothing-new': 'every finding that is left was rejected before',
  'rounds-used': 'the rounds are used up',
  'no-answer': 'failed: no reviewer answered',
  'fix-failed': 'failed: the findings were not dealt with',
  stopped: 'stopped by you',
  overtaken: 'somebody answered the review meanwhile',
};

function fateText(fate: FeedbackItemView['fate'], style: Style): string {
  const text = fate.padEnd(FATE_WIDTH);
  if (fate === 'accepted' || fate === 'partial') return style.good(text);
  return fate === 'rejected' ? style.faint(text) : style.open(text);
}

function waitLines({ feedback, state, fixTask }: FeedbackView, folderFlag: string): Line[] {
  if (state === 'waiting') {
    const calls = [
      `baton review approve ${fixTask}${folderFlag}`,
      `baton review return ${fixTask}${folderFlag} -m "…"`,
    ];
    const width = Math.max(...calls.map((call) => call.length));
    return calls.map((call, at) => nextLine(call, at === 0 ? 'accept the work' : 'send it back again', width));
  }
  return [nextLine(`baton feedback ${feedback}${folderFlag}`, 'at a terminal: decide on each finding')];
}

function nextLines({ fixTask, fixer }: FeedbackView, folderFlag: string): Line[] {
  if (fixTask === null || fixer === null) return [];
  const calls = [`baton diff ${fixTask}${folderFlag}`, `baton apply ${fixTask}${folderFlag}`] as const;
  return [nextLine(calls[0], 'look at the changes', calls[1].length), nextLine(calls[1], 'bring them into your files')];
}
