import type { EventView } from '../../api/contract.ts';
import type { OrderReport } from '../../api/order/order-contract.ts';
import type { SessionLine, SessionTaskView, SessionView } from '../../api/session/session-contract.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { PlannedMember, SessionPlan } from '../../domain/session/session-request.ts';
import { counted } from '../../domain/words/counted.ts';
import { stateWord, verdictWord } from '../../domain/words/verdict-words.ts';
import { orderLines } from '../order/order-line.ts';
import { below, LABEL_WIDTH, label } from '../order/plan-text.ts';
import { foldLines, type Line, line, nextLine } from '../output/lines.ts';
import type { Style } from '../output/style.ts';
import { durationText, timeText } from '../output/time-text.ts';
import { costText, usdText } from '../output/usd-text.ts';
import { isJudged, paintWord } from '../output/verdict-text.ts';
import { visible } from '../output/visible.ts';
import { workPlaceText } from '../work/work-place-text.ts';
import type { SessionUpdate } from './follow-session.ts';

/** The plan of a session: its tasks with what they wait for, and the most that it may cost. */
export function sessionPlanText(plan: SessionPlan, style: Style): string {
  const name = style.strong(visible(plan.name || plan.sessionId));
  const lines = [
    line(`${name}  ${counted(plan.tasks.length, 'task')}, ${plan.pattern}`, label('session', style.faint)),
    ...plan.tasks.slice(0, TASKS_SHOWN_MAX).map((task) => plannedLine(task, style)),
    ...moreLines(plan.tasks.length, style),
    line(worstText(plan), label('costs', style.faint)),
    ...limitLines(plan, style),
    ...plan.warnings.map((warning) => line(visible(warning), label('note', style.open))),
  ];
  return foldLines(lines, style.columns);
}

const TASKS_SHOWN_MAX = 100;

function moreLines(count: number, style: Style): readonly Line[] {
  return count > TASKS_SHOWN_MAX ? [below(style.faint(`… and ${count - TASKS_SHOWN_MAX} more`))] : [];
}

function plannedLine(
  { id, title, agent, chosen, after, parent, checks, workplace, worstUsd }: PlannedMember,
  style: Style,
): Line {
  const facts = [
    visible(chosen ?? agent),
    ...(after.length > 0 ? [`after ${listText(after)}`] : []),
    ...(parent === null ? [] : [`for ${visible(parent)}`]),
    ...(workplace === 'worktree' ? ['in a worktree'] : []),
    checks.length === 0 ? style.open('no checks') : `checks: ${checks.map(visible).join(', ')}`,
    worstUsd === null
      ? style.open('no cap on money')
      : worstUsd === 0
        ? 'costs nothing'
        : `at most ${usdText(worstUsd)}`,
  ];
  const name = title === id ? '' : `  ${visible(title)}`;
  const words = `${style.strong(visible(id))}${name}  ${style.faint('·')} ${facts.join(' · ')}`;
  return line(words, label('task', style.faint));
}

function listText(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).map(visible).join(', ');
  return ids.length > 5 ? `${shown} and ${ids.length - 5} more` : shown;
}

function worstText({ worstUsd, budgetUsd }: SessionPlan): string {
  if (worstUsd === null) return 'no cap: --budget USD sets one for the session';
  if (worstUsd === 0) return 'nothing';
  return `at most ${usdText(worstUsd)}${budgetUsd === worstUsd ? ', which is its cap' : ''}`;
}

function limitLines({ deadlineSeconds, atOnce }: SessionPlan, style: Style): readonly Line[] {
  const limits = [
    ...(atOnce === null ? [] : [`at most ${atOnce} at once`]),
    ...(deadlineSeconds === null ? [] : [`ends after ${durationText(deadlineSeconds * 1_000)} awake`]),
  ];
  return limits.length === 0 ? [] : [line(limits.join(', '), label('limits', style.faint))];
}

/** Null for what is not shown. */
export function sessionUpdateText(update: SessionUpdate, style: Style, folderFlag: string): string | Refusal | null {
  switch (update.kind) {
    case 'begun':
      return foldLines([headLine(update.session, style)], style.columns);
    case 'event': {
      const lines = eventLines(update.event, update.member, style);
      return lines.length === 0 ? null : foldLines(lines, style.columns);
    }
    case 'task':
      return foldLines([taskEndLine(update.report, update.member, style)], style.columns);
    case 'end':
      return foldLines(endLines(update.session, style, folderFlag), style.columns);
    case 'refusal':
      return update.refusal;
  }
}

function headLine({ session_id: id, name, pattern, tasks }: SessionView, style: Style): Line {
  const called = name === '' ? style.strong(visible(id)) : `${style.strong(visible(name))}  ${visible(id)}`;
  return line(`${called}  ${counted(tasks.length, 'task')}, ${pattern}`, label('session', style.faint));
}

/** Lines of single tasks that somebody who follows a session wants to see, with the name of the task. */
const SHOWN_EVENTS: ReadonlySet<string> = new Set([
  'run.launched',
  'question.asked',
  'run.quota_reached',
  'order.requeued',
  'run.retried',
  'order.unanswered',
]);

function eventLines(event: EventView, member: string, style: Style): readonly Line[] {
  const name = style.strong(visible(member));
  if (event.type === 'session.stopped')
    return [line(visible(String(event.payload.message)), label('stopped', style.open))];
  if (event.type === 'session.joined')
    return [line(`${name}  by ${visible(event.actor)}`, label('added', style.faint))];
  if (event.type === 'run.launched') return [line(name, label('started', style.faint))];
  if (!SHOWN_EVENTS.has(event.type)) return [];
  const of = style.faint(`(${visible(member)})`);
  return orderLines(event, style).map((each, at) => (at === 0 ? { ...each, words: `${each.words}  ${of}` } : each));
}

function taskEndLine(report: OrderReport, member: string, style: Style): Line {
  const { task, summary } = report;
  const facts =
    summary === null
      ? []
      : [durationText(summary.durationMs), ...(summary.costUsd > 0 ? [usdText(summary.costUsd)] : [])];
  const isGood = report.verdict === 'checked';
  const why = isGood || !summary?.message ? '' : `: ${visible(summary.message)}`;
  const code = summary?.code && !isGood ? ` (${summary.code})` : '';
  const word = isJudged(report) ? paintWord(verdictWord(report), style, LABEL_WIDTH) : '';
  const about = style.faint([task.id, ...facts].join(' · '));
  return line(`${style.strong(visible(member))}  ${about}${why}${code}`, `${word} `);
}

function endLines(session: SessionView, style: Style, folderFlag: string): readonly Line[] {
  const { session_id: id, totals, cost, created_at: from, ended_at: to } = session;
  const took = to === null ? [] : [durationText(Date.parse(to) - Date.parse(from))];
  // The cap counts what the session has cost before, so a retry under the same cap is refused.
  const moreMoney = session.stopped?.cause === 'budget' ? ' --budget USD' : '';
  return [
    line(''),
    line(`${style.strong(visible(session.name || id))}: ${totalsText(session)}`, `${stateText(session, style)}  `),
    line(style.faint([...took, costText(cost)].join(' · '))),
    ...evidenceLines(session, style),
    ...applyLines(session, folderFlag),
    nextLine(`baton session show ${id}${folderFlag}`),
    ...(totals.failed + totals.aborted + totals.skipped > 0
      ? [nextLine(`baton session retry ${id}${moreMoney}${folderFlag}`, 'the tasks that were not done, once more')]
      : []),
  ];
}

/** Says how to merge work that waits; none where no checked work does. */
function applyLines({ session_id: id, to_apply: waiting }: SessionView, folderFlag: string): readonly Line[] {
  if (waiting.length === 0) return [];
  return [nextLine(`baton session apply ${id}${folderFlag}`, `merge the work of ${counted(waiting.length, 'task')}`)];
}

const EVIDENCE_SHOWN_MAX = 10;
const DETAILS_SHOWN_MAX = 3;

/** Findings that the checks do not settle, riskiest first. */
function evidenceLines({ evidence }: SessionView, style: Style): readonly Line[] {
  if (evidence.length === 0) return [];
  const shown = evidence.slice(0, EVIDENCE_SHOWN_MAX).map(({ kind, task_id: task, text, details }) => {
    const rest = details.length > DETAILS_SHOWN_MAX ? ` and ${details.length - DETAILS_SHOWN_MAX} more` : '';
    const what = `${details.slice(0, DETAILS_SHOWN_MAX).map(visible).join(', ')}${rest}`;
    return line(
      `${style.strong(visible(task))}  ${kind.replaceAll('-', ' ')}: ${what} (${text})`,
      label('look at', style.open),
    );
  });
  const more = evidence.length - EVIDENCE_SHOWN_MAX;
  return [line(''), ...shown, ...(more > 0 ? [line(style.faint(`and ${more} more`))] : [])];
}

/** Counts that are not zero. */
function totalsText({ totals }: Pick<SessionLine, 'totals'>): string {
  const { tasks, completed, failed, aborted, skipped, running, waiting } = totals;
  const parts = [
    [running, 'running'],
    [waiting, 'waiting'],
    [completed, 'completed'],
    [failed, 'failed'],
    [aborted, 'aborted'],
    [skipped, 'skipped'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return `${shown.join(', ')} of ${counted(tasks, 'task')}`;
}

function stateText({ state, verdict, stopped, ...line }: Omit<SessionLine, 'totals'>, style: Style): string {
  const judged = { state, verdict, stoppedBy: stopped?.by ?? null, isInterrupted: line.is_interrupted };
  return paintWord(stateWord(judged), style);
}

export function sessionLineText(line: SessionLine, style: Style): string {
  const name = line.name === '' ? '' : `  ${visible(line.name)}`;
  const when = timeText(line.created_at, style.nowMs);
  return `${stateText(line, style)}  ${style.strong(visible(line.session_id))}${name}  ${totalsText(line)}  ${style.faint(`${when} · ${costText(line.cost)}`)}`;
}

export function sessionText(session: SessionView, style: Style, folderFlag: string): string {
  const { session_id: id, name, pattern, created_at: at, stopped, limits, cost } = session;
  const about = [id, pattern, timeText(at, style.nowMs), costText(cost)].map(visible).join(' · ');
  const cap = limits.max_cost_usd;
  const lines = [
    line(`${style.strong(visible(name || id))}: ${totalsText(session)}`, `${stateText(session, style)}  `),
    line(style.faint(about)),
    ...(stopped === null ? [] : [line(visible(stopped.message), label('stopped', style.open))]),
    ...(cap === null ? [] : [line(`${usdText(cost)} of ${usdText(cap)}`, label('cap', style.faint))]),
    line(''),
    ...session.tasks.slice(0, TASKS_SHOWN_MAX).flatMap((task) => memberLines(task, style)),
    ...moreLines(session.tasks.length, style),
    ...evidenceLines(session, style),
    ...costLines(session, style),
    ...applyLines(session, folderFlag),
  ];
  return foldLines(lines, style.columns);
}

const STATE_WIDTH = 'unchecked'.length;

function memberLines(task: SessionTaskView, style: Style): readonly Line[] {
  const facts = [
    ...(task.agent === null ? [] : [visible(task.agent)]),
    task.id,
    ...(task.depends_on.length > 0 && task.state === 'PENDING' ? [`after ${listText(task.depends_on)}`] : []),
    ...(task.attempts > 1 ? [`${task.attempts} attempts`] : []),
    ...(task.duration_seconds > 0 ? [durationText(task.duration_seconds * 1_000)] : []),
    ...(task.cost > 0 ? [usdText(task.cost)] : []),
    ...(task.work === null ? [] : [workPlaceText(task)]),
  ];
  const isWhyShown = task.verdict !== 'checked' && task.message !== '';
  const state = paintWord(stateWord({ ...task, stoppedBy: task.stopped_by }), style, STATE_WIDTH);
  const name = `${'  '.repeat(task.depth)}${style.strong(visible(task.task_id))}`;
  return [
    line(`${name}  ${style.faint(facts.join(' · '))}`, `${state}  `),
    ...(isWhyShown ? [line(visible(task.message), ' '.repeat(STATE_WIDTH + 2))] : []),
  ];
}

function costLines(
  { cost_summary: { by_model: models, actual_cost_usd: cost } }: SessionView,
  style: Style,
): readonly Line[] {
  const parts = Object.entries(models).filter(([, usd]) => usd > 0);
  if (cost === 0 || parts.length === 0) return [];
  const each = parts.map(([model, usd]) => `${visible(model)} ${usdText(usd)}`);
  return [line(''), line(style.faint(each.join(', ')), style.faint('cost  '))];
}
