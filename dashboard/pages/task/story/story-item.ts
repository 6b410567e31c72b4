/** A tool call, with its result once it has one. */
export interface Step {
  readonly call: string;
  readonly tool: string;
  /** The arguments, as JSON. */
  readonly input: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly result: string | null;
  readonly isSuccess: boolean | null;
  readonly exitCode: number | null;
}

export interface CheckLine {
  readonly id: string;
  readonly result: string;
  readonly message: string;
}

/** The things that stand in the story of a task, in the order in which they happened. `id` is that of the event. */
export type StoryItem =
  | {
      readonly kind: 'attempt';
      readonly id: number;
      readonly at: string;
      readonly number: number;
      readonly run: string;
      readonly agent: string;
      readonly model: string | null;
    }
  | TurnItem
  | {
      readonly kind: 'checks';
      readonly id: number;
      readonly at: string;
      readonly when: 'before' | 'after';
      readonly results: readonly CheckLine[];
    }
  | {
      readonly kind: 'question';
      readonly id: number;
      readonly at: string;
      readonly question: string;
      readonly what: string;
      readonly why: string;
      readonly options: readonly string[];
      readonly deadlineAt: string | null;
      readonly answer: { readonly option: string; readonly by: string; readonly at: string } | null;
    }
  | OutputItem
  | {
      readonly kind: 'told';
      readonly id: number;
      readonly at: string;
      readonly by: string;
      readonly text: string;
    }
  | {
      readonly kind: 'line';
      readonly id: number;
      readonly at: string;
      readonly tone: Tone;
      readonly by: string;
      readonly text: string;
      /** Lines that belong to it, such as the points of a return. */
      readonly more: readonly string[];
    };

export type Tone = 'plain' | 'good' | 'bad' | 'warn';

export interface TurnItem {
  readonly kind: 'turn';
  readonly id: number;
  /** The instant of its first event. */
  readonly at: string;
  /** Null while it is open. */
  readonly endedAt: string | null;
  readonly run: string;
  /** The agent that reviews the work; null for the one that does it. */
  readonly reviewer: string | null;
  /** As its agent counts; null while it is open. */
  readonly index: number | null;
  readonly thought: string;
  /** The thought as far as its agent has streamed it. */
  readonly streamed: string;
  readonly steps: readonly Step[];
  /** The first of the files that it changed. */
  readonly files: readonly string[];
  /** The agent's words to people. */
  readonly words: string;
  /** For an agent that reports turns without steps. */
  readonly action: string;
  readonly observation: string;
  readonly confidence: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  /** A rewind returned to a point before it. */
  readonly isSuperseded: boolean;
}

/** Lines that the agent's program printed one after the other, with the colours of a terminal. */
export interface OutputItem {
  readonly kind: 'output';
  readonly id: number;
  readonly at: string;
  readonly lines: readonly string[];
}
