const LINE_CHARACTERS_MAX = 160;
/** Arguments that say the most, by which a call is told in one line. */
const TELLING = ['command', 'cmd', 'file_path', 'path', 'filePath', 'pattern', 'query', 'url', 'description', 'prompt'];
const FILE_FIELDS = ['file_path', 'path', 'filePath', 'filename'];
const WRITES = ['content', 'new_string', 'old_string', 'edits', 'diff', 'patch', 'newString'];

/** The arguments of a tool: in one line, where files below a folder are named from there, and whole. */
export function argumentsOf(input: string, folder: string): { readonly line: string; readonly whole: string } {
  const given = objectIn(input);
  if (given === null) return { line: cut(input), whole: input };
  const telling = TELLING.map((name) => given[name]).find((value) => typeof value === 'string' || Array.isArray(value));
  const line = Array.isArray(telling) ? telling.join(' ') : String(telling ?? input);
  return { line: cut(line.replaceAll(`${folder}/`, '')), whole: wholeOf(given) };
}

/** Files that a tool writes, by its arguments. */
export function pathsOf(input: string): readonly string[] {
  const given = objectIn(input);
  if (given === null || !WRITES.some((name) => name in given)) return [];
  return FILE_FIELDS.flatMap((name) => (typeof given[name] === 'string' ? [given[name]] : []));
}

/** Strings with their line ends, which JSON would hide. */
function wholeOf(given: Readonly<Record<string, unknown>>): string {
  return Object.entries(given)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`)
    .join('\n');
}

/** A cut text is no JSON any more. */
function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function cut(text: string): string {
  const [first = ''] = text.trim().split('\n', 1);
  const isLong = first.length > LINE_CHARACTERS_MAX || text.trim().includes('\n');
  return isLong ? `${first.slice(0, LINE_CHARACTERS_MAX)} …` : first;
}
