import type { PointList, PointView, RewindAnswer, RewindPreviewView } from '../../api/trace/trace-contract.ts';
import { counted } from '../../domain/words/counted.ts';
import type { Style } from '../output/style.ts';
import { secondText } from '../output/time-text.ts';
import { visible } from '../output/visible.ts';
import { diffPage, fileLines } from '../work/work-text.ts';

/** One line a point, oldest first; the last one is the present. */
export function pointsPage({ task, points }: PointList, style: Style): string {
  const width = Math.max(...points.map(({ point }) => point.length));
  const texts = points.map((point, at) => pointText(point, points[at - 1]));
  const textWidth = Math.max(...texts.map(({ length }) => length));
  const lines = points.map((point, at) => {
    const { files, isSuperseded } = point;
    const counts = countsText(files, style);
    const text = (texts[at] ?? '').padEnd(counts === '' && !isSuperseded ? 0 : textWidth);
    const marks = [counts, isSuperseded ? style.faint('superseded') : ''].filter((mark) => mark !== '');
    const clock = secondText(point.at).slice(-8);
    return `  ${style.strong(point.point.padStart(width))}  ${style.faint(clock)}  ${[text, ...marks].join('  ')}`.trimEnd();
  });
  return [`${style.strong(task)} can go back to`, ...lines].join('\n');
}

function pointText({ kind, status, turnIndex, rewoundTo, runId }: PointView, before: PointView | undefined): string {
  switch (kind) {
    case 'start':
      return 'before the work';
    case 'turn':
      return `after turn ${Number(turnIndex) + 1}`;
    case 'end':
      if (before?.kind === 'end' && before.runId === runId) return 'after the checks or a rollback';
      return status === 'in-progress' ? 'after the run' : 'after the work';
    case 'transition':
      return before && before.status !== status ? `${before.status} to ${status}` : status;
    case 'work':
      return 'after an undo or apply';
    case 'saved':
      return 'your files before a rewind';
    case 'rewind':
      return `rewound to ${rewoundTo}`;
  }
}

function countsText({ added, changed, removed }: PointView['files'], style: Style): string {
  const parts = [
    added > 0 ? style.good(`+${added}`) : '',
    changed > 0 ? style.open(`~${changed}`) : '',
    removed > 0 ? style.bad(`-${removed}`) : '',
  ].filter((part) => part !== '');
  if (parts.length === 0) return '';
  return `${parts.join(' ')} ${added + changed + removed === 1 ? 'file' : 'files'}`;
}

/** The difference that a rewind would make, and what it leaves alone. */
export function previewPage(preview: RewindPreviewView, style: Style): string {
  const { task, point, status, folder, dirty, notes } = preview;
  const difference =
    preview.files.length === 0
      ? 'no file would change'
      : diffPage({ ...preview, git: [], ignored: [], inside: '', from: '', to: '' }, style, false);
  return [
    `${style.strong(task)} to point ${point}: the task would be ${status}, the files in ${visible(folder)} as they were then`,
    '',
    difference,
    '',
    ...dirty.map((path) => style.open(`changed since: ${visible(path)}`)),
    ...notes.map((note) => style.faint(visible(note))),
  ].join('\n');
}

export function rewoundText(done: RewindAnswer, style: Style): string {
  const { task, rewoundTo, status, files, folder, kept, savedAs, notes } = done;
  const count = counted(files.length, 'file');
  return [
    `rewound ${style.strong(task)} to point ${rewoundTo}: ${count} in ${visible(folder)}; the task is ${status}`,
    ...fileLines(files),
    ...(kept.length === 0 ? [] : [`your changes of ${counted(kept.length, 'file')} are saved:`]),
    ...fileLines(kept),
    `saved as ${savedAs}, which is point ${done.before}`,
    ...notes.map((note) => style.faint(visible(note))),
  ].join('\n');
}
