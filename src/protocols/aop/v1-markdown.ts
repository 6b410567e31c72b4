import { withoutEdges } from '../../domain/words/without-end.ts';

/** A v1 order: Markdown for a model to read. Only what Baton acts on is taken out of it; the text itself is kept whole. */
export interface V1Prompt {
  readonly text: string;
  /** Null where the prompt has no objective. */
  readonly objective: string | null;
  /** `**Task ID:** …` lines and the like, by lower-case name; the first of a name counts. */
  readonly fields: Readonly<Record<string, string>>;
  readonly sections: readonly V1Section[];
}

export interface V1Section {
  readonly title: string;
  readonly body: string;
}

const NUMBERED_SECTION =
  /^\s*(?:#{1,6}\s*)?\**\d{1,2}[.)][\s*]*(ENVIRONMENT|TOOLING|CONTEXT|INSTRUCTIONS|VERIFICATION|DELEGATION|CLOSURE)\b/i;
const HEADING = /^\s{0,3}#{1,6}\s(.*)$/s;
const PROTOCOL_LINE = /^[\s>*_-]*PROTOCOL[*_]*:[*_\s]*AOP\s+v1\b/i;
const KEY_LINE = /^[\s>*_-]*(?:task|objective|agent|executor|context|requirements)[*_]*:/i;
const FIELD_LINE = /^[\s>*_-]*([A-Za-z][A-Za-z _]{0,30}?)[*_]*:(.*)$/s;
const LINE_CHARACTERS_READ = 2_000;

/** AOP §1.3, aop:detection: a heading, a protocol line, three numbered sections, or two key lines. */
export function isV1Markdown(text: string): boolean {
  const sections = new Set<string>();
  let keyLines = 0;
  for (const line of linesOf(text)) {
    if (line === '') continue;
    if (PROTOCOL_LINE.test(line)) return true;
    if (HEADING.exec(line)?.[1]?.includes('ORCHESTRATION_TASK')) return true;
    const section = NUMBERED_SECTION.exec(line)?.[1];
    if (section && sections.add(section.toUpperCase()).size >= 3) return true;
    if (KEY_LINE.test(line) && ++keyLines >= 2) return true;
  }
  return false;
}

export function readV1Markdown(text: string): V1Prompt {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  const sections: { title: string; body: string }[] = [];
  for (const line of linesOf(text)) {
    const title = titleOf(line);
    const section = sections.at(-1);
    if (title !== null) sections.push({ title, body: '' });
    else if (section) section.body += `${line}\n`;
    const field = FIELD_LINE.exec(line);
    const name = field?.[1]?.trim().toLowerCase();
    if (name !== undefined && !(name in fields)) fields[name] = stripMarks(field?.[2] ?? '');
  }
  const trimmed = sections.map(({ title, body }) => ({ title, body: body.trim() }));
  return { text, objective: objectiveOf(fields, trimmed), fields, sections: trimmed };
}

function objectiveOf(fields: Readonly<Record<string, string>>, sections: readonly V1Section[]): string | null {
  const inSection = (name: string) => sections.find(({ title }) => title.toUpperCase().includes(name))?.body;
  return (
    inSection('OBJECTIVE') ||
    fields.objective ||
    fields.task ||
    inSection('INSTRUCTIONS') ||
    fields.requirements ||
    null
  );
}

function titleOf(line: string): string | null {
  const heading = HEADING.exec(line)?.[1];
  if (heading !== undefined) return stripMarks(heading).replace(/^\d{1,2}[.)]\s*/, '');
  return NUMBERED_SECTION.exec(line)?.[1] ?? null;
}

function stripMarks(text: string): string {
  return withoutEdges(text.trim(), ' \t\r*_`');
}

/** Yields line by line; of a very long line only its start. */
function* linesOf(text: string): Generator<string> {
  let from = 0;
  while (from <= text.length) {
    let end = text.indexOf('\n', from);
    if (end === -1) end = text.length;
    const line = text.slice(from, Math.min(end, from + LINE_CHARACTERS_READ));
    yield line.endsWith('\r') ? line.slice(0, -1) : line;
    from = end + 1;
  }
}
