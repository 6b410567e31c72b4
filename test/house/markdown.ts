/** The lines of a page; those inside of code fences are empty, so that line numbers stay. */
export function proseLines(text: string): string[] {
  let fence = '';
  return text.split('\n').map((line) => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1] ?? '';
    if (fence === '' && mark !== '') fence = mark;
    else if (fence !== '' && mark.startsWith(fence)) fence = '';
    else if (fence === '') return line;
    return '';
  });
}

/** The anchors a page offers: its headings as GitHub writes them, and explicit ids. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const line of proseLines(text)) {
    for (const [, id] of line.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id ?? '');
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let unique = slug;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${slug}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

export interface Rule {
  readonly line: number;
  readonly id: string;
  readonly sentence: string;
  /** Its sub-items, each as one text: a rule has one, which says what holds it. */
  readonly states: readonly string[];
}

export interface Rules {
  readonly rules: readonly Rule[];
  /** Lines of the section that belong to no rule. */
  readonly strayLines: readonly number[];
}

const ITEM = /^- \*\*([^*]*)\*\*: (.*)$/;
const SUB_ITEM = /^ {2}- (.*)$/;

/** The rules of the section "Rules": `- **ID**: sentence`, and below it `  - state`, both over as many lines as they need. */
export function rulesOf(text: string): Rules {
  const rules: { line: number; id: string; sentence: string[]; states: string[][] }[] = [];
  const strayLines: number[] = [];
  let isInside = false;
  proseLines(text).forEach((content, at) => {
    if (/^## /.test(content)) isInside = content === '## Rules';
    else if (isInside && content !== '' && !take(content, at + 1)) strayLines.push(at + 1);
  });
  return { rules: rules.map(joined), strayLines };

  function take(content: string, line: number): boolean {
    const rule = rules.at(-1);
    const [, id, first = ''] = ITEM.exec(content) ?? [];
    const state = SUB_ITEM.exec(content)?.[1];
    const openState = rule?.states.at(-1);
    if (id !== undefined) rules.push({ line, id, sentence: [first], states: [] });
    else if (state !== undefined) rule?.states.push([state]);
    else if (openState === undefined && /^ {2}\S/.test(content)) rule?.sentence.push(content.trim());
    else if (openState !== undefined && /^ {4}\S/.test(content)) openState.push(content.trim());
    else return false;
    return id !== undefined || rule !== undefined;
  }
}

function joined(rule: { line: number; id: string; sentence: string[]; states: string[][] }): Rule {
  const states = rule.states.map((lines) => lines.join(' '));
  return { line: rule.line, id: rule.id, sentence: rule.sentence.join(' '), states };
}
