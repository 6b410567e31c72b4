import type { TraceEntryView } from '../../api/trace-contract.ts';
import { printedLine, visible, visibleLines } from './visible.ts';

type Fields = Readonly<Record<string, unknown>>;

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
article{border-left:3px solid #888;margin:1rem 0;padding:0 0 0 1rem}.superseded{opacity:.5}
h2{font-size:1rem;margin:0}time,.kind{color:#777;font-size:.85rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0}`;

/** The beginning of a page that opens from disk: it loads nothing and runs no script. */
export function htmlHead(task: { readonly id: string; readonly title: string; readonly status: string }): string {
  const title = `${escaped(task.id)}: ${escaped(task.title)}`;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title><style>${STYLE}</style></head>`,
    `<body><h1>${title}</h1><p>${escaped(task.status)}</p>`,
  ].join('\n');
}

/** The rest of the page, entry by entry. Lines of output that follow each other are one block. */
export class TracePage {
  #isInOutput = false;

  /** Null for an entry that another one tells too. */
  entry(entry: TraceEntryView): string | null {
    if (entry.type === 'SANDBOX_PULSE') return this.#outputLine(entry);
    const html = htmlEntry(entry);
    return html === null ? null : this.#endOutput() + html;
  }

  end(): string {
    return `${this.#endOutput()}</body></html>`;
  }

  #outputLine({ at, message, isSuperseded }: TraceEntryView): string {
    const line = inert(printedLine(String((message.payload as Fields).line ?? '')));
    if (this.#isInOutput) return line;
    this.#isInOutput = true;
    return `${articleStart('output', at, isSuperseded)}<pre>${line}`;
  }

  #endOutput(): string {
    const end = this.#isInOutput ? '</pre></article>\n' : '';
    this.#isInOutput = false;
    return end;
  }
}

function htmlEntry({ type, at, message, isSuperseded }: TraceEntryView): string | null {
  const body = bodyOf(type, message);
  if (body === null) return null;
  return `${articleStart(body.heading, at, isSuperseded)}${body.parts.join('\n')}</article>`;
}

function articleStart(heading: string, at: string, isSuperseded: boolean): string {
  const mark = isSuperseded ? ' class="superseded"' : '';
  return `<article${mark}><h2>${heading}</h2><time>${escaped(at)}</time>\n`;
}

interface Body {
  readonly heading: string;
  readonly parts: readonly string[];
}

function bodyOf(type: string, message: Fields): Body | null {
  const payload = (message.payload ?? {}) as Fields;
  const text = (name: string) => escaped(String(payload[name] ?? ''));
  switch (type) {
    case 'TURN': {
      const {
        thought = '',
        action = '',
        observation = '',
      } = (message.content ?? {}) as Readonly<Record<string, string>>;
      const parts = [...part('saw', observation), ...part('thought', thought), ...part('did', action)];
      return { heading: `turn ${Number(message.turn_index) + 1}`, parts };
    }
    case 'THOUGHT_STREAM':
      // The turn has the whole thought.
      return null;
    case 'TOOL_LIFECYCLE_INVOKED':
      return { heading: text('tool'), parts: part('arguments', JSON.stringify(payload.arguments ?? {}, null, 1)) };
    case 'TOOL_LIFECYCLE_COMPLETED':
      return { heading: `${text('tool')}: ${text('status')}, ${text('duration_ms')} ms`, parts: [] };
    case 'TASK_TRANSITION':
      return {
        heading: `${text('from_state')} to ${text('to_state')}`,
        parts: part('files', String(payload.git_hash ?? '')),
      };
    default:
      return { heading: escaped(type), parts: part('', JSON.stringify(payload)) };
  }
}

function part(label: string, text: string): readonly string[] {
  return text.trim() === '' ? [] : [`<span class="kind">${label}</span><pre>${escapedLines(text)}</pre>`];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text of an agent is inert: no markup, no control character, no change of direction. */
function escaped(text: string): string {
  return inert(visible(text));
}

function escapedLines(text: string): string {
  return inert(visibleLines(text));
}

function inert(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
