import type { TraceEntryView } from '../../api/trace/trace-contract.ts';
import { behind, foldLines, type Line, line } from '../output/lines.ts';
import type { Style } from '../output/style.ts';
import { durationText } from '../output/time-text.ts';
import { printedLine, visible, visibleLines } from '../output/visible.ts';
import { ageText, inputText, runHeading } from './story-text.ts';

/** A run of the task, for its heading. */
export interface TracedRunHead {
  readonly id: string;
  readonly agent: string;
  readonly startedAt: string;
}

const AGE_WIDTH = 7;
const THOUGHT_LINES_MAX = 12;
const SEEN_LINES_MAX = 6;
const CONFIDENCE_UNKNOWN = 0.5;

type Fields = Readonly<Record<string, unknown>>;

/** Tells a trace, entry by entry. */
export class TraceText {
  readonly #runs: readonly TracedRunHead[];
  #run: string | null = null;
  #startedAt: string | null = null;

  constructor(runs: readonly TracedRunHead[]) {
    this.#runs = runs;
  }

  /** Null for an entry that another one tells too. */
  textOf(entry: TraceEntryView, style: Style): string | null {
    const [first, ...rest] = stepLines(entry, style);
    if (first === undefined) return null;
    const heading = this.#headingOf(entry, style);
    const age = ageText(entry.at, this.#startedAt).padStart(AGE_WIDTH);
    const mark = entry.isSuperseded ? style.faint('superseded  ') : '';
    const lines = [...behind(`${style.faint(age)}  ${mark}`, [first]), ...behind(' '.repeat(AGE_WIDTH + 2), rest)];
    return foldLines([...(heading === null ? [] : [line(heading)]), ...lines], style.columns);
  }

  #headingOf({ runId, at }: TraceEntryView, style: Style): string | null {
    if (runId === null || runId === this.#run) return null;
    this.#run = runId;
    const attempt = this.#runs.findIndex(({ id }) => id === runId) + 1;
    const run = this.#runs[attempt - 1];
    this.#startedAt = run?.startedAt ?? at;
    return runHeading({ id: runId, name: run?.agent ?? '', at: this.#startedAt }, attempt, style);
  }
}

/** None for an entry that another one tells too. */
function stepLines({ type, message }: TraceEntryView, style: Style): readonly Line[] {
  const payload = (message.payload ?? {}) as Fields;
  const text = (name: string) => String(payload[name] ?? '');
  switch (type) {
    case 'TURN':
      return turnLines(message, style);
    case 'THOUGHT_STREAM':
      // The turn has the whole thought.
      return [];
    case 'TOOL_LIFECYCLE_INVOKED':
      return [line(inputText(JSON.stringify(payload.arguments ?? {})), `${style.strong(visible(text('tool')))}  `)];
    case 'TOOL_LIFECYCLE_COMPLETED': {
      const isGood = payload.status === 'success';
      const mark = isGood ? style.good('✓') : style.bad('✗');
      const status = isGood ? '' : `${visible(text('status'))}, `;
      const took = durationText(Number(payload.duration_ms));
      return [line(`${status}${took}  ${style.faint(visible(text('tool')))}`, `  ${mark} `)];
    }
    case 'SANDBOX_PULSE':
      return [line(style.faint(printedLine(text('line'))))];
    case 'TASK_TRANSITION': {
      const hash = payload.git_hash === undefined ? '' : style.faint(`  ${visible(text('git_hash')).slice(0, 12)}`);
      return [
        line(`${visible(text('from_state'))} to ${visible(text('to_state'))}${hash}`, `${style.open('task')}    `),
      ];
    }
    default:
      return [line(inputText(JSON.stringify(payload)), `${visible(type)}  `)];
  }
}

function turnLines({ turn_index: index, content, metadata }: Fields, style: Style): readonly Line[] {
  const { thought = '', action = '', observation = '' } = (content ?? {}) as Readonly<Record<string, string>>;
  const confidence = Number((metadata as Fields | undefined)?.confidence ?? CONFIDENCE_UNKNOWN);
  const sure = confidence === CONFIDENCE_UNKNOWN ? '' : style.faint(`  confidence ${confidence}`);
  return [
    line(`${style.strong(`turn ${Number(index) + 1}`)}${sure}`),
    ...part('saw', lastLines(observation, SEEN_LINES_MAX), style.faint),
    ...part('thought', firstLines(thought, THOUGHT_LINES_MAX), style.faint),
    ...part('did', firstLines(action, THOUGHT_LINES_MAX), (text) => text),
  ];
}

function part(label: string, lines: readonly string[], paint: (text: string) => string): readonly Line[] {
  return lines.map((text, at) => line(paint(text), `${(at === 0 ? label : '').padEnd(7)}  `));
}

function linesOf(text: string): string[] {
  return text.trim() === '' ? [] : visibleLines(text.trim()).split('\n');
}

/** A mark takes a line too: it stands for at least two. */
function firstLines(text: string, max: number): string[] {
  const lines = linesOf(text);
  return lines.length <= max + 1 ? lines : [...lines.slice(0, max), `… ${lines.length - max} more lines`];
}

function lastLines(text: string, max: number): string[] {
  const lines = linesOf(text);
  return lines.length <= max + 1 ? lines : [`… ${lines.length - max} lines before`, ...lines.slice(-max)];
}
