import { assertNever } from '../assert-never.ts';

/**
 * `run` begins a run: `id` is the run, `name` its agent. `output` is terminal output, several lines at once; `words` are
 * the agent's words to the user. A `tool` call has `id`, the tool as `name` and its arguments as `text`, and its `result` the
 * same `id` and `name`. A person's words to the agent are `told`. The `session` with the vendor has an `id`.
 */
export const STORY_KINDS = [
  ...(['run', 'output', 'thought', 'words', 'tool', 'result', 'retry', 'question', 'answer', 'told'] as const),
  ...(['quota', 'session', 'failure', 'note'] as const),
] as const;
export type StoryKind = (typeof STORY_KINDS)[number];

/** One step in the story of a run, as its log keeps it and as people and programs read it. */
export interface StoryEntry {
  readonly kind: StoryKind;
  /** Milliseconds since 1970; null for output whose time was not recorded. */
  readonly at: number | null;
  readonly text: string;
  readonly id: string | null;
  readonly name: string | null;
  /** The rest is of a result only. */
  readonly isSuccess: boolean | null;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
}

export const EMPTY_ENTRY: StoryEntry = {
  kind: 'note',
  at: null,
  text: '',
  id: null,
  name: null,
  isSuccess: null,
  exitCode: null,
  durationMs: null,
};

/** An entry as lines of plain text. */
export function plainText({ kind, id, name, text, ...entry }: StoryEntry): string {
  switch (kind) {
    case 'run':
      return `--- ${id} ${name}`;
    case 'output':
    case 'words':
      return text;
    case 'thought':
      return text.replaceAll(/^/gm, '[thinks] ');
    case 'tool':
      return `[${name}: ${text}]`;
    case 'result':
      return `[${name} ${entry.isSuccess ? 'done' : 'failed'}: ${text}]`;
    case 'retry':
      return `[its model did not answer, ${text}]`;
    case 'question':
      return `[asks: ${text}]`;
    case 'answer':
      return `[answered: ${text}]`;
    case 'told':
      return `[was told: ${text}]`;
    case 'quota':
      return `[quota reached: ${text}]`;
    case 'session':
      return text === '' ? `[session ${id}]` : `[session ${id}, ${text}]`;
    case 'failure':
    case 'note':
      return `[${text}]`;
    default:
      return assertNever(kind);
  }
}
