import type { AgentSignal, ToolSignal } from '../../domain/agent/agent-signal.ts';
import { recordCode } from '../../domain/failure-code.ts';
import { RUN_NOTE_CHARACTERS_MAX, STORY_TEXT_CHARACTERS_MAX } from '../../domain/limits.ts';
import { EMPTY_ENTRY, type StoryEntry } from '../../domain/trace/story-entry.ts';
import { shorten } from '../../domain/words/shorten.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RunActivities } from './run-activities.ts';
import { RunLog } from './run-log.ts';
import type { AgentInput } from './talk.ts';

type Step = Pick<StoryEntry, 'kind' | 'text'> & Partial<StoryEntry>;

/** Tool calls whose end is awaited. An agent that never ends one is not remembered for ever. */
const CALLS_MAX = 1_000;

export interface ToldRun {
  /** The task, or the session of a reviewer: its log has all runs. */
  readonly owner: string;
  readonly runId: string;
  readonly agent: string;
}

/**
 * Tells people about one run: its activity while it runs, and its story in the log, with thoughts, words, tool calls,
 * questions and output, each with its time.
 */
interface StoryParts {
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly activities: RunActivities;
}

export class Story {
  readonly log: RunLog;
  readonly #clock: Clock;
  readonly #activities: RunActivities;
  readonly #runId: string;
  /** Monotonic instants at which tool calls began, by their id. */
  readonly #begun = new Map<string, number>();

  #session: string | null = null;

  constructor(world: StoryParts, run: ToldRun) {
    this.log = new RunLog(world.dataFolder, run.owner, world.clock);
    this.#clock = world.clock;
    this.#activities = world.activities;
    this.#runId = run.runId;
    this.#activities.begin(run.runId);
    this.log.begin(run);
  }

  /** Adds a signal of the agent; signals that are no step of the story change nothing. */
  add(signal: AgentSignal): void {
    this.#activities.take(this.#runId, signal);
    if (signal.kind === 'output') {
      if (this.log.line(signal.text)) this.log.flush();
      return;
    }
    if (signal.kind === 'vendor-session') {
      // Some agents name their session with every turn.
      if (signal.id === this.#session) return;
      this.#session = signal.id;
    }
    const step = signal.kind === 'tool' ? this.#toolStep(signal) : stepOf(signal);
    if (step !== null) this.#write(step);
  }

  /** Adds something that the agent was told. */
  tell(told: AgentInput): void {
    if (told.kind === 'words') this.#write({ kind: 'told', text: told.text });
    if (told.kind === 'answer') this.#write({ kind: 'answer', text: told.option });
  }

  /** The agent waits for a person's answer, or no longer does. */
  setWaiting(isWaiting: boolean): void {
    this.#activities.setWaiting(this.#runId, isWaiting);
  }

  end(): void {
    this.log.flush();
    this.#activities.end(this.#runId);
  }

  #toolStep(signal: ToolSignal): Step {
    const { id, name } = signal;
    const { monotonicMs } = this.#clock.now();
    if (signal.state === 'begun') {
      if (this.#begun.size < CALLS_MAX) this.#begun.set(id, monotonicMs);
      return { kind: 'tool', id, name, text: shorten(signal.input, RUN_NOTE_CHARACTERS_MAX) };
    }
    const begunAt = this.#begun.get(id);
    this.#begun.delete(id);
    const durationMs = signal.tookMs ?? (begunAt === undefined ? null : monotonicMs - begunAt);
    const { isSuccess, exitCode = null, result } = signal;
    return {
      kind: 'result',
      id,
      name,
      text: shorten(result, RUN_NOTE_CHARACTERS_MAX),
      isSuccess,
      exitCode,
      durationMs,
    };
  }

  #write(step: Step): void {
    const entry = { ...EMPTY_ENTRY, ...step, at: this.#clock.now().wallMs };
    if (this.log.entry({ ...entry, text: shorten(entry.text, STORY_TEXT_CHARACTERS_MAX) })) this.log.flush();
  }
}

/** Null for a signal that is no step. */
function stepOf(signal: Exclude<AgentSignal, ToolSignal>): Step | null {
  switch (signal.kind) {
    case 'thought':
    case 'words':
      return { kind: signal.kind, text: signal.text.trimEnd() };
    case 'retrying':
      return { kind: 'retry', text: `try ${signal.attempt}: ${signal.message}` };
    case 'question': {
      const { text, permission } = signal;
      return { kind: 'question', text: permission ? `${text} ${permission.command ?? permission.input}` : text };
    }
    case 'quota':
      return { kind: 'quota', text: signal.message };
    case 'failure':
      return { kind: 'failure', text: `${recordCode(signal.code)}: ${signal.message}` };
    case 'unexpected':
      return { kind: 'note', text: `not understood: ${signal.message}` };
    case 'malformed-claim':
      return { kind: 'note', text: `malformed answer: ${signal.message}` };
    case 'vendor-session': {
      const { id, model, version } = signal;
      return { kind: 'session', id, text: [model, version].filter((each) => each !== null).join(', ') };
    }
    default:
      return null;
  }
}
