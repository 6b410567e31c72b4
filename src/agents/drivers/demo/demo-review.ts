import { counted } from '../../../domain/words/counted.ts';
import { isJsonObject } from '../../../domain/words/json-object.ts';
import { withoutEdges } from '../../../domain/words/without-end.ts';
import type { AfpRequest, AfpResponse } from '../../../protocols/afp/schema.ts';
import { readJson } from '../../../protocols/json-text.ts';

type Area = NonNullable<AfpResponse['feedback']>['areas_for_improvement'][number];

const LINE_CHARACTERS_MAX = 200;
const AREAS_MAX = 100;

/** Marks of work that is not done, and things that are left behind by mistake. */
const MARKS: readonly (readonly [pattern: RegExp, aspect: string, recommendation: string])[] = [
  [/\b(TODO|FIXME|XXX|TBD)\b/, 'Open point', 'Settle it, or say who does and when.'],
  [/\bconsole\.log\(|\bdebugger\b|\bprint\("DEBUG/, 'Debugging output', 'Remove it.'],
  [/\b(?:describe|it|test)\.(?:only|skip)\(/, 'Test left out', 'Let all tests run.'],
];

/** The request for feedback that a text is; null for any other text. */
export function requestIn(text: string): AfpRequest | null {
  const { value } = readJson(text);
  return isJsonObject(value) && isJsonObject(value.artifact) ? (value as unknown as AfpRequest) : null;
}

/** The demo agent as a reviewer: it looks for marks and for long lines, and says that no model was used. */
export function reviewArtifact({ iteration, artifact }: AfpRequest): AfpResponse {
  const { content } = artifact;
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
  const areas = areasIn(text).slice(0, AREAS_MAX);
  const lines = text.split('\n').length;
  return {
    protocol_version: '1.2',
    iteration,
    status: 'success',
    feedback: {
      confidence: { level: 'medium', justification: 'No model was used: only marks and long lines were looked for.' },
      positive_points:
        areas.length === 0 ? [{ aspect: 'Completeness', justification: 'Nothing is marked as open.' }] : [],
      areas_for_improvement: areas,
      general_summary: `${counted(lines, 'line')} with ${counted(areas.length, 'point')} to settle.`,
    },
  };
}

function areasIn(text: string): Area[] {
  const areas = new Map<string, Area>();
  text.split('\n').forEach((line, at) => {
    const place = `line ${at + 1}`;
    for (const [pattern, aspect, recommendation] of MARKS) {
      if (!pattern.test(line)) continue;
      add(areas, { aspect: `${aspect}, ${place}`, description: brief(line), recommendation });
    }
    if (line.length > LINE_CHARACTERS_MAX) {
      const description = `The line has ${line.length} characters: ${brief(line)}`;
      add(areas, { aspect: `Long line, ${place}`, description, recommendation: 'Break it.' });
    }
  });
  return [...areas.values()];
}

/** The id is made of the words, so that the same point has the same id in every iteration. */
function add(areas: Map<string, Area>, area: Omit<Area, 'id'>): void {
  const words = `${area.aspect.replace(/, line \d+$/, '')} ${area.description}`;
  const slug = withoutEdges(words.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'), '-').slice(0, 60);
  for (let number = 1; ; number++) {
    const id = `demo-${slug}${number === 1 ? '' : `-${number}`}`.padEnd(8, '0');
    if (areas.has(id)) continue;
    areas.set(id, { id, ...area });
    return;
  }
}

function brief(line: string): string {
  const text = line.trim();
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
