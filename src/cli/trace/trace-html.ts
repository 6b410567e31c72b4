import type { TaskDetail } from '../../api/contract.ts';
import type { OrderReport } from '../../api/order/order-contract.ts';
import type { TraceEntryView } from '../../api/trace/trace-contract.ts';
import { verdictWord, WORD_TONES, type WordTone } from '../../domain/words/verdict-words.ts';
import { durationText } from '../output/time-text.ts';
import { costText } from '../output/usd-text.ts';
import { isJudged } from '../output/verdict-text.ts';
import { printedLine, visibleLines } from '../output/visible.ts';
import { ageText, inputText } from './story-text.ts';

type Fields = Readonly<Record<string, unknown>>;
type TracedTask = Pick<TaskDetail, 'id' | 'title' | 'status' | 'runs'>;

const STYLE = `:root{color-scheme:light dark}body{font:14px/20px system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}
h1{font-size:20px;line-height:28px}h1,p{margin:0 0 4px}h2{font-size:16px;margin:24px 0 8px}h3{font-size:14px;margin:0}
.muted,time,dt,summary{font-weight:400;color:light-dark(#59616e,#9ba5b3)}.good{color:light-dark(#116a3b,#63d193)}.bad{color:light-dark(#b3261e,#ff948a)}
dl{display:flex;flex-wrap:wrap;gap:0 16px;margin:8px 0}dl div{display:flex;gap:6px}dd{margin:0}ul{list-style:none;margin:8px 0;padding:0}
article{display:grid;grid-template-columns:64px minmax(0,1fr);gap:0 12px;padding:6px 0;border-top:1px solid light-dark(#dfe3e9,#2b323c)}
article>div{display:grid;gap:4px}.part{display:grid;grid-template-columns:56px minmax(0,1fr)}.superseded{opacity:.5}pre,code{font:12.5px/18px ui-monospace,monospace;overflow-wrap:anywhere}
pre{white-space:pre-wrap;margin:0}code{font-weight:400}`;
const SHAPES: Readonly<Record<WordTone, string>> = { good: '✓', open: '○', bad: '✗', waiting: '◷', running: '◷' };

/** The beginning of a page that opens from disk: it loads nothing and runs no script. */
export function htmlHead(task: TracedTask, report: OrderReport | null): string {
  const title = escaped(task.title);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(task.id)}: ${title}</title><style>${STYLE}</style></head>`,
    `<body><header><p class="muted">${escaped(task.id)}</p><h1>${title}</h1>`,
    verdictPart(report),
    factsPart(task, report),
    report === null ? '' : checksPart(report),
    '</header><h2>Story</h2>',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** The verdict in a sentence. */
function verdictPart(report: OrderReport | null): string {
  if (report === null || !isJudged(report)) return '';
  const word = verdictWord(report);
  const tone = WORD_TONES[word];
  const why = word === 'checked' ? '' : `: ${escaped(report.summary?.message ?? '')}`;
  return `<p><strong class="${tone}">${SHAPES[tone]} ${word}</strong>${why}</p>`;
}

function factsPart({ status, runs }: TracedTask, report: OrderReport | null): string {
  const agents = [...new Set(runs.map(({ agent }) => agent))].join(', ');
  const summary = report?.summary ?? null;
  const facts: readonly (readonly [string, string])[] = [
    ['status', status],
    ...(agents === '' ? [] : [['agent', agents] as const]),
    ...(summary === null
      ? []
      : [
          ['took', durationText(summary.durationMs)] as const,
          ...(summary.runs > 1 ? [['attempts', String(summary.runs)] as const] : []),
          ['cost', costText(summary.costUsd)] as const,
          ...(summary.tokens > 0 ? [['tokens', summary.tokens.toLocaleString('en')] as const] : []),
        ]),
  ];
  return `<dl>${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>`;
}

/** Each check with the end of its output where it failed, and the files that the work changed. */
function checksPart({ checks, failures, changed }: OrderReport): string {
  const lines = checks.map(({ id, change }) => {
    const isGood = change === 'passed' || change === 'fixed';
    const tail = failures.find((failure) => failure.id === id)?.tail ?? '';
    const mark = `<span class="${isGood ? 'good' : 'bad'}">${isGood ? '✓' : '✗'}</span>`;
    const output = tail.trim() === '' ? '' : `<pre>${escapedLines(tail.trimEnd())}</pre>`;
    return `<li>${mark} <code>${escaped(id)}</code> <span class="muted">${escaped(change)}</span>${output}</li>`;
  });
  const files = changed.map(
    ({ path, status }) =>
      `<li><code>${escaped(path)}</code> <span class="muted">${escaped(status.toLowerCase())}</span></li>`,
  );
  return [listOf('Checks', lines), listOf('Changed files', files)].filter((part) => part !== '').join('\n');
}

function listOf(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `<h2>${title}</h2><ul>${lines.join('')}</ul>`;
}

/** The rest of the page, entry by entry. Lines of output that follow each other are one block. */
export class TraceHtml {
  readonly #runs: TracedTask['runs'];
  #run: string | null = null;
  #startedAt: string | null = null;
  #isInOutput = false;

  constructor({ runs }: TracedTask) {
    this.#runs = runs;
  }

  /** Null for an entry that another one tells too. */
  entry(entry: TraceEntryView): string | null {
    if (entry.type === 'SANDBOX_PULSE') return this.#outputLine(entry);
    const html = bodyOf(entry.type, entry.message);
    return html === null ? null : `${this.#endOutput()}${this.#start(entry)}${html}</div></article>`;
  }

  end(): string {
    return `${this.#endOutput()}</body></html>`;
  }

  #outputLine(entry: TraceEntryView): string {
    const line = inert(printedLine(String((entry.message.payload as Fields).line ?? '')));
    if (this.#isInOutput) return line;
    const start = this.#start(entry);
    this.#isInOutput = true;
    return `${start}<pre>${line}`;
  }

  #endOutput(): string {
    const end = this.#isInOutput ? '</pre></div></article>\n' : '';
    this.#isInOutput = false;
    return end;
  }

  /** The first entry of a run has its heading. */
  #start({ runId, at, isSuperseded }: TraceEntryView): string {
    let heading = '';
    if (runId !== null && runId !== this.#run) {
      const attempt = this.#runs.findIndex(({ id }) => id === runId) + 1;
      const run = this.#runs[attempt - 1];
      this.#run = runId;
      this.#startedAt = run?.startedAt ?? at;
      const when = `<span class="muted">${escaped(utcText(this.#startedAt))}</span>`;
      heading = `<h2>Attempt ${attempt}: ${escaped(run?.agent ?? '')} ${when}</h2>\n`;
    }
    const age = ageText(at, this.#startedAt);
    const mark = isSuperseded ? ' class="superseded" title="a rewind superseded it"' : '';
    const time = `<time datetime="${escaped(at)}" title="${escaped(at)}">${age}</time>`;
    return `${heading}<article${mark}>${time}<div>`;
  }
}

/** Readers of the page may live elsewhere. */
function utcText(instant: string): string {
  return `${instant.slice(0, 19).replace('T', ' ')} UTC`;
}

function bodyOf(type: string, message: Fields): string | null {
  const payload = (message.payload ?? {}) as Fields;
  const text = (name: string) => escaped(String(payload[name] ?? ''));
  switch (type) {
    case 'TURN': {
      const {
        thought = '',
        action = '',
        observation = '',
      } = (message.content ?? {}) as Readonly<Record<string, string>>;
      const parts = [part('saw', observation), part('thought', thought), part('did', action)];
      return `<h3>turn ${Number(message.turn_index) + 1}</h3>${parts.join('')}`;
    }
    case 'THOUGHT_STREAM':
      // The turn has the whole thought.
      return null;
    case 'TOOL_LIFECYCLE_INVOKED': {
      const whole = JSON.stringify(payload.arguments ?? {}, null, 1);
      const short = escaped(inputText(JSON.stringify(payload.arguments ?? {})));
      const details = `<details><summary>arguments</summary><pre>${escapedLines(whole)}</pre></details>`;
      return `<h3>${text('tool')} <code>${short}</code></h3>${details}`;
    }
    case 'TOOL_LIFECYCLE_COMPLETED': {
      const isGood = payload.status === 'success';
      const mark = isGood ? '<span class="good">✓</span>' : `<span class="bad">✗</span> ${text('status')},`;
      const took = durationText(Number(payload.duration_ms));
      return `<span>${mark} ${took} <span class="muted">${text('tool')}</span></span>`;
    }
    case 'TASK_TRANSITION': {
      const hash = payload.git_hash === undefined ? '' : ` <code class="muted">${text('git_hash').slice(0, 12)}</code>`;
      return `<span>task ${text('from_state')} to ${text('to_state')}${hash}</span>`;
    }
    default:
      return `<h3>${escaped(type)}</h3>${part('', JSON.stringify(payload))}`;
  }
}

function part(label: string, text: string): string {
  return text.trim() === ''
    ? ''
    : `<div class="part"><span class="muted">${label}</span><pre>${escapedLines(text.trimEnd())}</pre></div>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text of an agent is inert: no markup, no control character, no change of direction. Codes for a terminal go. */
function escaped(text: string): string {
  return inert(printedLine(text));
}

function escapedLines(text: string): string {
  return inert(visibleLines(text));
}

function inert(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
