// The story of a task, as the node makes it from its log: what a page shows.

export type StoryTone = 'plain' | 'good' | 'bad' | 'warn';

/** A tool call, with its result once it has one. */
export interface StoryStep {
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

export interface StoryCheck {
  readonly id: string;
  readonly result: string;
  readonly message: string;
}

interface StoryPlace {
  /** The event that it begins with. */
  readonly id: number;
  /** The instant of that event. */
  readonly at: string;
  /** The last event that changed it: of two copies of an item, the one with the later event counts. */
  readonly changed: number;
}

export interface StoryAttempt extends StoryPlace {
  readonly kind: 'attempt';
  /** Counted from 1. */
  readonly number: number;
  readonly run: string;
  readonly agent: string;
  readonly model: string | null;
}

export interface StoryTurn extends StoryPlace {
  readonly kind: 'turn';
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
  readonly steps: readonly StoryStep[];
  /** The first of the files that it changed. */
  readonly files: readonly string[];
  /** The agent's words to people. */
  readonly words: string;
  /** For an agent that reports turns without steps. */
  readonly action: string;
  readonly observation: string;
  readonly confidence: number | null;
  /** The tokens of the run so far. */
  readonly tokens: number | null;
  readonly costUsd: number | null;
  /** A rewind returned to a point before it. */
  readonly isSuperseded: boolean;
}

export interface StoryChecks extends StoryPlace {
  readonly kind: 'checks';
  readonly when: 'before' | 'after';
  readonly results: readonly StoryCheck[];
}

export interface StoryQuestion extends StoryPlace {
  readonly kind: 'question';
  readonly question: string;
  readonly what: string;
  readonly why: string;
  readonly options: readonly string[];
  readonly deadlineAt: string | null;
  readonly answer: { readonly option: string; readonly by: string; readonly at: string } | null;
}

/** Lines that the agent's program printed together, with the codes of a terminal. */
export interface StoryOutput extends StoryPlace {
  readonly kind: 'output';
  readonly lines: readonly string[];
}

/** Words of a person to the agent. */
export interface StoryTold extends StoryPlace {
  readonly kind: 'told';
  readonly by: string;
  readonly text: string;
}

/** Any other event that people are told about, in a sentence. */
export interface StoryLine extends StoryPlace {
  readonly kind: 'line';
  readonly tone: StoryTone;
  readonly by: string;
  /** The event, of which its reader makes the sentence. */
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Lines that belong to it, such as the points of a return. */
  readonly more: readonly string[];
}

export type StoryItem = StoryAttempt | StoryTurn | StoryChecks | StoryQuestion | StoryOutput | StoryTold | StoryLine;

/** The items that begin or change in a part of the log of a task. */
export interface StoryPage {
  readonly task: string;
  /** In the order in which they begin. */
  readonly items: readonly StoryItem[];
  /** The first and the last event of the part; null for an empty one. */
  readonly first: number | null;
  readonly last: number | null;
  /** There are more events in the direction in which it was read. */
  readonly hasMore: boolean;
}
