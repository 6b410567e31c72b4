/** One setting of a git configuration. */
export interface GitSetting {
  /** As git prints it: section and key in small letters, the subsection as written. */
  readonly name: string;
  readonly value: string;
}

const HEADER = /\[[ \t]*([-.\w]+)[ \t]*(?:"((?:[^"\\\n]|\\.)*)"[ \t]*)?\]/y;
const KEY = /([A-Za-z][-A-Za-z0-9]*)[ \t]*/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/** The settings of a configuration file, in order. A line that git would reject is skipped. */
export function readGitConfig(text: string): readonly GitSetting[] {
  const settings: GitSetting[] = [];
  let section = '';
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    if (/\s/.test(text[at] ?? '')) {
      at += 1;
      continue;
    }
    const header = matchAt(HEADER, text, at);
    const key = header ? null : matchAt(KEY, text, at);
    if (header) {
      section = sectionName(header[1] ?? '', header[2]);
      at += header[0].length;
    } else if (key && section !== '') {
      const { value, end } = readValue(text, at + key[0].length);
      settings.push({ name: `${section}.${key[1]?.toLowerCase()}`, value });
      at = end;
    } else at = endOfLine(text, at);
  }
  return settings;
}

function sectionName(name: string, subsection: string | undefined): string {
  const section = name.toLowerCase();
  return subsection === undefined ? section : `${section}.${subsection.replace(/\\(.)/g, '$1')}`;
}

/** A value ends with its line, unless a backslash continues it; a comment ends it outside of quotes. */
function readValue(text: string, from: number): { readonly value: string; readonly end: number } {
  // A key alone is a setting that is true.
  if (text[from] !== '=') return { value: 'true', end: endOfLine(text, from) };
  let value = '';
  let isQuoted = false;
  let at = from + 1;
  for (; at < text.length && text[at] !== '\n'; at += 1) {
    const character = text[at] ?? '';
    if (character === '\\') {
      at += text[at + 1] === '\r' ? 2 : 1;
      const next = text[at] ?? '';
      value += next === '\n' ? '' : (ESCAPES[next] ?? next);
    } else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '#' || character === ';'))
      return { value: value.trim(), end: endOfLine(text, at) };
    else value += character;
  }
  return { value: value.trim(), end: at };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}
