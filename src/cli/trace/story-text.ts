import type { LogEntry } from '../../api/order/order-contract.ts';
import { behind, foldLines, type Line, line, widthOf } from '../output/lines.ts';
import type { Style } from '../output/style.ts';
import { durationText, timeText } from '../output/time-text.ts';
import { visible, visibleLines } from '../output/visible.ts';

/** The part of a story that was shown before an entry. */
export interface StoryPlace {
  /** Runs that began, this one included. */
  readonly attempt: number;
  /** The beginning of this run; null if its time was not recorded. */
  readonly startedAt: string | null;
}

const INPUT_CHARACTERS_MAX = 160;
const RESULT_LINES_MAX = 6;
const AGE_WIDTH = 7;

/** An entry as lines: output as it was printed, anything else behind its age within the run. */
export function entryText(entry: LogEntry, { attempt, startedAt }: StoryPlace, style: Style): string {
  if (entry.kind === 'output') return visibleLines(entry.text);
  if (entry.kind === 'run') return runHeading(entry, attempt, style);
  const age = ageText(entry.at, startedAt).padStart(AGE_WIDTH);
  const [first, ...rest] = stepLines(entry, style);
  const head = first ? behind(`${style.faint(age)}  `, [first]) : [];
  return foldLines([...head, ...behind(' '.repeat(AGE_WIDTH + 2), rest)], style.columns);
}

/** The steps of an agent while somebody waits for it: events show the rest of its story. */
export function liveLines(entries: readonly LogEntry[], style: Style): readonly Line[] {
  return entries.filter(({ kind }) => SHOWN_LIVE.has(kind)).flatMap((entry) => stepLines(entry, style));
}

const SHOWN_LIVE: ReadonlySet<LogEntry['kind']> = new Set(['output', 'thought', 'words', 'tool', 'result', 'told']);

export function runHeading(
  { id, name, at }: Pick<LogEntry, 'id' | 'name' | 'at'>,
  attempt: number,
  style: Style,
): string {
  const when = at === null ? '' : `, ${timeText(at, style.nowMs)}, ${agoText(at, style.nowMs)}`;
  const about = style.faint(`(attempt ${attempt}${when})`);
  return `${style.strong(`--- ${visible(id ?? '')} ${visible(name ?? '')}`)}  ${about}`;
}

function agoText(at: string, nowMs: number): string {
  return `${durationText(Math.max(0, Math.round((nowMs - Date.parse(at)) / 1_000) * 1_000))} ago`;
}

/** Minutes and seconds since the run began: 0:07, 12:30, 1:02:30. */
export function ageText(at: string | null, startedAt: string | null): string {
  if (at === null || startedAt === null) return '';
  const seconds = Math.max(0, Math.floor((Date.parse(at) - Date.parse(startedAt)) / 1_000));
  const two = (number: number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** A step without its age. */
function stepLines(entry: LogEntry, style: Style): readonly Line[] {
  const { kind, text, id } = entry;
  const words = visibleLines(text);
  switch (kind) {
    case 'thought':
      return labelled('thinks', words, style.faint);
    case 'words':
      return labelled('says', words);
    case 'tool':
      return [line(inputText(text), `${style.strong(visible(entry.name ?? 'tool'))}  `)];
    case 'result':
      return resultLines(entry, style);
    case 'told':
      return labelled(style.strong('you'), words);
    case 'question':
      return labelled(style.open('asks'), words);
    case 'answer':
      return labelled('answer', words);
    case 'retry':
      return labelled(style.open('retry'), `its model did not answer, ${words}`);
    case 'quota':
      return labelled(style.open('quota'), words);
    case 'failure':
      return labelled(style.bad('failed'), words);
    case 'session':
      return labelled('session', `${visible(id ?? '')}${words === '' ? '' : `, ${words}`}`, style.faint);
    case 'note':
      return labelled('note', words, style.faint);
    case 'run':
    case 'output':
      return words.split('\n').map((each) => line(each));
  }
}

const LABEL_WIDTH = 'thinks'.length;

/** Words of several lines, all below the first one. */
function labelled(label: string, words: string, paint = (text: string) => text): readonly Line[] {
  const head = `${label}${' '.repeat(Math.max(0, LABEL_WIDTH - widthOf(label)))}  `;
  const [first = '', ...rest] = words.split('\n');
  return [line(paint(first), paint(head)), ...rest.map((each) => line(paint(each), ' '.repeat(LABEL_WIDTH + 2)))];
}

/** The argument that says most of a call. */
const TELLING = ['command', 'cmd', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description', 'prompt'];

/** Shortened: the raw log has the whole of it. */
export function inputText(input: string): string {
  const telling = tellingArgument(input) ?? (input === '{}' ? '' : input);
  const [line = '', ...rest] = telling.split('\n');
  const isCut = line.length > INPUT_CHARACTERS_MAX || rest.length > 0;
  return `${visible(line.slice(0, INPUT_CHARACTERS_MAX))}${isCut ? ' …' : ''}`;
}

function tellingArgument(input: string): string | null {
  try {
    const args: unknown = JSON.parse(input);
    if (typeof args !== 'object' || args === null) return null;
    const [first] = TELLING.map((name) => (args as Record<string, unknown>)[name]).filter((value) => value);
    const { changes } = args as { readonly changes?: readonly { readonly path?: unknown }[] };
    if (Array.isArray(changes)) return changes.map(({ path }) => String(path)).join(', ');
    return typeof first === 'string' ? first : Array.isArray(first) ? first.join(' ') : null;
  } catch {
    // Cut, or no JSON at all.
    return null;
  }
}

/** How a call ended; the end of its output where it failed, else the first line. */
function resultLines({ text, isSuccess, exitCode, durationMs }: LogEntry, style: Style): readonly Line[] {
  const took = durationMs === null ? [] : [durationText(durationMs)];
  const code = exitCode === null ? [] : [`exit ${exitCode}`];
  const mark = isSuccess ? style.good('✓') : style.bad('✗');
  const facts = [...code, ...took].join(', ');
  const lines = visibleLines(text.trim()).split('\n');
  const [sign, end] = [`  ${mark} `, facts === '' ? (isSuccess ? 'done' : 'failed') : facts];
  if (lines.length === 1 && lines[0] === '') return [line(end, sign)];
  if (isSuccess) {
    const more = lines.length > 1 ? style.faint(` (${lines.length} lines)`) : '';
    return [line(`${end}  ${style.faint((lines[0] ?? '').slice(0, INPUT_CHARACTERS_MAX))}${more}`, sign)];
  }
  return [line(end, sign), ...lines.slice(-RESULT_LINES_MAX).map((each) => line(style.faint(each), ' '.repeat(4)))];
}
