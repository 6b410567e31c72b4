import type { DayReportAnswer, ReportedEnd } from '../../api/overview/report-contract.ts';
import { foldLines, type Line, line } from '../output/lines.ts';
import type { Style } from '../output/style.ts';
import { durationText, timeText } from '../output/time-text.ts';
import { costText, usdText } from '../output/usd-text.ts';
import { verdictText } from '../output/verdict-text.ts';
import { visible } from '../output/visible.ts';
import { attentionLines } from '../review/attention-text.ts';
import { sessionLineText } from '../session/session-text.ts';

const SHOWN_MAX = 50;

/** The morning page: done, not done and why, cost, and what to decide; empty sections are left out. */
export function dayReportPage(report: DayReportAnswer, style: Style, folderFlag = ''): string {
  const { since, asleepMs, running, waiting, sessions } = report;
  const slept = asleepMs > 0 ? [`slept ${durationText(asleepMs)}`] : [];
  const open = [...(running > 0 ? [`${running} running`] : []), ...(waiting > 0 ? [`${waiting} waiting`] : [])];
  const head = [`since ${timeText(since, style.nowMs)}`, costText(report.cost.usd), ...open, ...slept].join(' · ');
  const parts = [
    section('Checked', report.done, style),
    section('Unchecked or partial', report.unproven, style),
    section('Not done', report.notDone, style),
    sessions.length === 0
      ? []
      : [
          heading('Sessions', sessions.length, style),
          ...sessions.map((each) => line(sessionLineText(each, style), '  ')),
        ],
    costPart(report, style),
    decidePart(report, style, folderFlag),
  ].filter((part) => part.length > 0);
  const none = parts.length === 0 ? [[line('nothing ended, and nothing waits for you')]] : parts;
  return [foldLines([line(head)], style.columns), ...none.map((part) => foldLines(part, style.columns))].join('\n\n');
}

function section(title: string, ends: readonly ReportedEnd[], style: Style): readonly Line[] {
  if (ends.length === 0) return [];
  const rest = ends.length - SHOWN_MAX;
  return [
    heading(title, ends.length, style),
    ...ends.slice(0, SHOWN_MAX).flatMap((end) => endLines(end, style)),
    ...(rest > 0 ? [line(`and ${rest} more`, '  ')] : []),
  ];
}

function endLines(end: ReportedEnd, style: Style): readonly Line[] {
  const { id, title, agent, verdict, code, message, work, costUsd } = end;
  const what = [visible(agent), ...(costUsd > 0 ? [usdText(costUsd)] : []), ...(work === null ? [] : [workText(work)])];
  const [first = ''] = visible(message).split('\n', 1);
  const why = `${verdictText(end, style)}${first === '' ? '' : `: ${first}`}${code === null ? '' : ` (${code})`}`;
  return [
    line(`${visible(title)}  ${style.faint(what.join(' · '))}`, `  ${style.strong(id)}  `),
    ...(verdict === 'checked' ? [] : [line(why, '    ')]),
  ];
}

function workText(work: string): string {
  return work === 'waiting' ? 'waits to be applied' : work;
}

function costPart({ cost }: DayReportAnswer, style: Style): readonly Line[] {
  const models = Object.entries(cost.byModel).filter(([, usd]) => usd > 0);
  if (models.length === 0) return [];
  const each = models.map(([model, usd]) => line(`${usdText(usd).padStart(8)}  ${visible(model)}`, '  '));
  return [line(style.strong(`Cost (${usdText(cost.usd)})`)), ...each];
}

/** The attention queue, and the work that waits to be applied. */
function decidePart({ attention, toApply }: DayReportAnswer, style: Style, folderFlag: string): readonly Line[] {
  // Work that failed is not offered to be applied: its entry above has what to do.
  const blocked = new Set(attention.items.flatMap(({ kind, task }) => (kind === 'blocked' ? [task] : [])));
  const waiting = toApply.filter((id) => !blocked.has(id));
  const count = attention.total + waiting.length;
  if (count === 0) return [];
  const width = Math.max(0, ...attention.items.map(({ kind }) => kind.length));
  const asked = attention.items.flatMap((item) =>
    attentionLines(item, { style, folderFlag, width, wordOf: () => undefined }),
  );
  return [
    heading('To decide', count, style),
    ...asked.map((text) => line(text)),
    ...waiting.map((id) =>
      line(`baton diff ${id}${folderFlag}; baton apply ${id}${folderFlag}`, `  ${style.strong(id)}  `),
    ),
  ];
}

function heading(title: string, count: number, style: Style): Line {
  return line(style.strong(`${title} (${count})`));
}
