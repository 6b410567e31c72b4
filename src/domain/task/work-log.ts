const HEADING = '## Work Log';
const HEADING_LINE = /^ {0,3}##[ \t]+Work Log[ \t]*$/;
/** A heading that ends the section: of its own level or above. */
const NEXT_HEADING = /^ {0,3}##?(?:[ \t]|$)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The body with one more entry at the end of its Work Log; no other line changes. */
export function appendToWorkLog(body: string, entry: string): string {
  const eol = body.includes('\r\n') ? '\r\n' : '\n';
  const lines = body.split('\n');
  const section = findWorkLog(lines);
  if (!section) return `${body}${gapAfter(body, eol)}${HEADING}${eol}${eol}${entry}${eol}`;
  const { heading } = section;
  const last = lastWritten(lines, heading, section.end);
  const before = lines
    .slice(0, last + 1)
    .join('\n')
    .replace(/\r$/, '');
  return `${before}${last === heading ? eol : ''}${eol}${entry}${body.slice(before.length)}`;
}

export interface WorkLogSection {
  /** The line of its heading. */
  readonly heading: number;
  /** The line after the section: the next heading, or the end. */
  readonly end: number;
}

/** The lines of the Work Log in a body; of several the last counts. */
export function findWorkLog(lines: readonly string[]): WorkLogSection | null {
  const isCode = codeLines(lines);
  const heading = lines.findLastIndex((line, at) => !isCode[at] && HEADING_LINE.test(line.trimEnd()));
  if (heading === -1) return null;
  const next = lines.findIndex((line, at) => at > heading && !isCode[at] && NEXT_HEADING.test(line.trimEnd()));
  return { heading, end: next === -1 ? lines.length : next };
}

/** The line breaks that leave exactly one empty line before a new section. */
function gapAfter(body: string, eol: string): string {
  if (body === '' || /\n\r?\n$/.test(body)) return '';
  return body.endsWith('\n') ? eol : `${eol}${eol}`;
}

/** The last non-empty line of a section, which may be its heading. */
function lastWritten(lines: readonly string[], heading: number, end: number): number {
  let last = end - 1;
  while (last > heading && lines[last]?.trim() === '') last--;
  return last;
}

/** The lines inside fenced code blocks. A fence that is never closed is text: otherwise it would swallow the log. */
function codeLines(lines: readonly string[]): boolean[] {
  const isCode = lines.map(() => false);
  // Searched once: no fence of this character and at least this length closes further down.
  const neverClosed = new Map<string, number>();
  for (let at = 0; at < lines.length; at++) {
    const fence = FENCE.exec(lines[at] ?? '')?.[1];
    if (fence === undefined || fence.length >= (neverClosed.get(fence.charAt(0)) ?? Number.POSITIVE_INFINITY)) continue;
    let close = at + 1;
    while (close < lines.length && !closes(lines[close] ?? '', fence)) close++;
    if (close === lines.length) {
      neverClosed.set(fence.charAt(0), fence.length);
    } else {
      isCode.fill(true, at, close + 1);
      at = close;
    }
  }
  return isCode;
}

function closes(line: string, fence: string): boolean {
  const [begin, marks = ''] = FENCE.exec(line) ?? [];
  return begin === line.trimEnd() && marks.charAt(0) === fence.charAt(0) && marks.length >= fence.length;
}
