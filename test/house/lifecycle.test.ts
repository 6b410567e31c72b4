import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { readText } from './source-file.ts';

const PAGE = 'docs/task-lifecycle.md';
const TABLE = 'src/domain/task/task-lifecycle.ts';

type Transitions = Readonly<Record<string, readonly string[]>>;

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly line: number;
}

/** The arrows of the state diagrams of a page; `state "in-progress" as in_progress` gives a state its real name. */
function arrowsOf(text: string): Arrow[] {
  const names = new Map(
    [...text.matchAll(/^\s*state "([^"]+)" as (\S+)/gm)].map(([, name = '', id = '']) => [id, name]),
  );
  let isInside = false;
  return text.split('\n').flatMap((content, at) => {
    if (/^```/.test(content)) isInside = /mermaid/.test(content);
    const [, from = '', to = ''] = /^\s*(\S+)\s*-->\s*([^\s:]+)/.exec(content) ?? [];
    if (!isInside || from === '' || from === '[*]' || to === '[*]') return [];
    return [{ from: names.get(from) ?? from, to: names.get(to) ?? to, line: at + 1 }];
  });
}

function diagramFindings(text: string, transitions: Transitions): Finding[] {
  const arrows = arrowsOf(text);
  const undrawn = Object.entries(transitions).flatMap(([from, all]) =>
    all
      .filter((to) => !arrows.some((arrow) => arrow.from === from && arrow.to === to))
      .map((to) => ({
        file: PAGE,
        line: 1,
        what: `${from} --> ${to} stands in ${TABLE}, not in the diagram: draw it`,
      })),
  );
  const unknown = arrows
    .filter(({ from, to }) => !transitions[from]?.includes(to))
    .map(({ from, to, line }) => ({
      file: PAGE,
      line,
      what: `${from} --> ${to} is not in ${TABLE}: remove it there or add it here`,
    }));
  return [...undrawn, ...unknown];
}

const text = readText(PAGE);
const missing = [PAGE, TABLE].filter((path) => readText(path) === undefined);
const skip = missing.length > 0 ? `${missing.join(', ')} not written yet` : false;

test('the lifecycle diagram is the transition table', { skip }, async () => {
  const table: { TASK_TRANSITIONS: Transitions; TASK_STATUSES: readonly string[] } = await import(`../../${TABLE}`);
  assertNone(diagramFindings(text ?? '', table.TASK_TRANSITIONS));
  const strange = Object.keys(table.TASK_TRANSITIONS).filter((status) => !table.TASK_STATUSES.includes(status));
  assertNone(strange.map((status) => ({ file: TABLE, line: 1, what: `${status} is not among TASK_STATUSES` })));
});

test('planted: an arrow too many and an arrow too few are found', () => {
  const page = '```mermaid\nstateDiagram-v2\n[*] --> a\nstate "b-c" as b\na --> b: moved\nb --> a\n```';
  const findings = diagramFindings(page, { a: ['b-c', 'd'], 'b-c': [] });
  assertFound(findings, 1, /^a --> d stands in/);
  assertFound(findings, 6, /^b-c --> a is not in/);
  assertNone(diagramFindings(page, { a: ['b-c'], 'b-c': ['a'] }));
});
