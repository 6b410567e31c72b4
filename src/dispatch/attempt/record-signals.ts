import type {
  AgentSignal,
  QuestionSignal,
  QuotaSignal,
  RetryingSignal,
  ToolSignal,
  VendorSessionSignal,
} from '../../domain/agent/agent-signal.ts';
import { resetInstant } from '../../domain/agent/quota.ts';
import { assertNever } from '../../domain/assert-never.ts';
import { RUN_NOTE_CHARACTERS_MAX } from '../../domain/limits.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { shorten } from '../../domain/words/shorten.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { noteRun, type RunNote, recordSession } from '../../operations/run/note-run.ts';
import { recordDelivery } from '../../operations/task/say-words.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { faultFacts } from '../../platform/logger.ts';
import { recordOutput } from '../../trace/record-output.ts';
import { recordTrace } from '../../trace/record-trace.ts';
import type { RunningAttempt } from './attempt.ts';
import { OutputBuffer } from './output-buffer.ts';
import { ProgressNotes } from './progress-notes.ts';
import type { RunLog } from './run-log.ts';
import type { RunTalk } from './run-talk.ts';
import type { TurnStates } from './turn-states.ts';

export interface SignalParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Logger;
  readonly receive: RunTalk['receive'];
  readonly holder: RunHolder;
  readonly output: RunLog;
  /** The account with the agent's vendor; null for an agent without one. */
  readonly account: string | null;
  /** Records the files of a turn that is over. */
  readonly states: Pick<TurnStates, 'turnEnded'>;
  /** Passes words on to the agent; false if it cannot be reached. */
  readonly tell: RunningAttempt['tell'];
}

type Note = (type: RunNote['type'], payload: RunNote['payload']) => Promise<void>;

/** Each refused message is an event. An agent that prints more of them prints text, and it is recorded as such. */
const REFUSED_MESSAGES_MAX = 1_000;

/** Records the signals of one run in the ledger: as turns and as events. */
export class SignalRecorder {
  readonly #parts: SignalParts;
  readonly progress: ProgressNotes;
  #refused = 0;
  #session: string | null = null;
  /** Resolves when every record so far is in the ledger. */
  #newest: Promise<unknown> = Promise.resolve();
  /** Records that wait for the answer to a message before them. */
  #waiting = 0;

  readonly #buffer: OutputBuffer;
  #passedOn: Promise<void> = Promise.resolve();

  constructor(parts: SignalParts) {
    this.#parts = parts;
    this.#buffer = new OutputBuffer(parts.holder.taskId);
    this.progress = new ProgressNotes(parts.clock, (note) => this.announce('run.progressed', note));
    parts.output.hear((line, at) => this.#buffer.add(line, at));
  }

  /** The agent waits while a returned promise is pending, so it cannot outrun the ledger. */
  record(signal: AgentSignal): void | Promise<void> {
    const { holder, receive } = this.#parts;
    // Flush output first so the trace keeps its order.
    if (TRACED.has(signal.kind)) void this.flushOutput();
    switch (signal.kind) {
      case 'beat':
      case 'answering':
      case 'usage':
      case 'claim':
      case 'decisions':
      case 'finished':
        // The watch counts these; they reach the ledger with the end of the run.
        return;
      case 'malformed-claim':
      case 'failure':
        return;
      case 'output':
        return this.#buffer.isFull ? this.#passOn() : undefined;
      case 'progress':
        return this.progress.show(signal);
      case 'thought':
        return this.#note('run.thought', { text: shorten(signal.text, RUN_NOTE_CHARACTERS_MAX) });
      case 'words':
        return this.#note('run.spoke', { text: shorten(signal.text, RUN_NOTE_CHARACTERS_MAX) });
      case 'retrying':
        return this.#recordRetry(signal);
      case 'unexpected':
        return this.#note('run.warned', { code: null, message: shorten(signal.message, RUN_NOTE_CHARACTERS_MAX) });
      case 'turn':
        return this.#parts.states.turnEnded(signal.index);
      case 'trace':
        return this.#recordTrace(signal);
      case 'tool':
        return this.#recordTool(signal);
      case 'question':
        return this.#recordQuestion(signal);
      case 'quota':
        return this.#recordQuota(signal);
      case 'vendor-session':
        return this.#recordSession(signal);
      case 'message':
        return this.#afterOthers(async () => {
          if (this.#refused === REFUSED_MESSAGES_MAX) return this.#showOnly(signal.text);
          const problem = await receive(signal.text, { kind: 'run', holder, by: 'pipe' });
          if (problem === null) return;
          this.#refused++;
          this.#showOnly(signal.text);
          this.#logProblem(problem);
        });
      default:
        return assertNever(signal);
    }
  }

  /** Some agents name their session with every turn. */
  #recordSession({ id, model, version }: VendorSessionSignal): void | Promise<void> {
    if (id === this.#session) return;
    this.#session = id;
    const { ledger, holder } = this.#parts;
    return this.#inOrder(async () => {
      const { taskId, runId } = holder;
      const recorded = await ledger.submit(recordSession, {
        taskId,
        runId,
        session: shorten(id, RUN_NOTE_CHARACTERS_MAX),
        model,
        version,
      });
      this.#logProblem(isRefusal(recorded) ? recorded.message : null);
    });
  }

  #recordRetry({ attempt, status, message }: RetryingSignal): Promise<void> {
    return this.#note('run.retried', { attempt, status, message: shorten(message, RUN_NOTE_CHARACTERS_MAX) });
  }

  /** A permission is a question of the ledger: permissions.ts keeps it. */
  #recordQuestion({ id, text, options, permission }: QuestionSignal): void | Promise<void> {
    if (!permission)
      return this.#note('run.question_asked', {
        id,
        text: shorten(text, RUN_NOTE_CHARACTERS_MAX),
        options: options.map((option) => shorten(option, RUN_NOTE_CHARACTERS_MAX)),
      });
  }

  #recordQuota({ message, resets, scope }: QuotaSignal): Promise<void> {
    const at = resetInstant(resets, this.#parts.clock.now().wallMs);
    const resetsAt = at === null ? null : new Date(at).toISOString();
    const { account } = this.#parts;
    return this.#note('run.quota_reached', {
      message: shorten(message, RUN_NOTE_CHARACTERS_MAX),
      account,
      scope,
      resetsAt,
    });
  }

  #showOnly(text: string): void {
    const { output } = this.#parts;
    if (output.line(text)) output.flush();
  }

  /** Adds the lines of output so far to the trace. */
  flushOutput(): Promise<void> {
    const lines = this.#buffer.take();
    if (lines.length === 0) return this.#passedOn;
    const { taskId, runId } = this.#parts.holder;
    this.#passedOn = this.#inOrder(() => this.#keep(recordOutput, { taskId, runId, lines }));
    return this.#passedOn;
  }

  /** The agent prints on while its last lines are stored, and waits for those before them. */
  #passOn(): Promise<void> {
    const before = this.#passedOn;
    void this.flushOutput();
    return before;
  }

  /** Resolves when every signal so far is recorded. */
  async settled(): Promise<void> {
    // A message that is refused only now becomes a line of output.
    await this.#newest;
    await this.flushOutput();
    await this.#newest;
  }

  /** An event for people who watch the run. Nothing depends on it, so the agent does not wait for it. */
  announce(type: RunNote['type'], payload: RunNote['payload']): void {
    void this.#note(type, payload);
  }

  #recordTrace({ message }: Extract<AgentSignal, { readonly kind: 'trace' }>): Promise<void> {
    if (message.fact.kind === 'turn') this.#parts.states.turnEnded(message.fact.index);
    return this.#inOrder(async () => {
      const { ledger, holder } = this.#parts;
      const { taskId, runId } = holder;
      const stored = await ledger.submit(recordTrace, { taskId, runId, ...message });
      this.#logProblem(isRefusal(stored) ? stored.message : null);
      if (!isRefusal(stored)) await this.#tellWords(stored.events);
    });
  }

  /** saop:entropy: an agent that repeats itself is asked for another approach, where it can hear; else with its next prompt. */
  async #tellWords(events: readonly LedgerEvent[]): Promise<void> {
    const { ledger, holder, tell } = this.#parts;
    for (const { type, payload } of events) {
      if (type !== 'words.said' || !tell({ kind: 'words', text: String(payload.text) })) continue;
      const { taskId, runId } = holder;
      await ledger.submit(recordDelivery, { taskId, runId, words: [String(payload.words)], by: 'stream' });
    }
  }

  #recordTool(signal: ToolSignal): Promise<void> {
    const { id, name } = signal;
    const call = { call: shorten(id, RUN_NOTE_CHARACTERS_MAX), tool: shorten(name, RUN_NOTE_CHARACTERS_MAX) };
    return signal.state === 'begun'
      ? this.#note('run.tool_started', { ...call, input: shorten(signal.input, RUN_NOTE_CHARACTERS_MAX) })
      : this.#note('run.tool_ended', {
          ...call,
          isSuccess: signal.isSuccess,
          ...(typeof signal.exitCode === 'number' ? { exitCode: signal.exitCode } : {}),
          result: shorten(signal.result, RUN_NOTE_CHARACTERS_MAX),
        });
  }

  readonly #note: Note = (type, payload) => {
    const { taskId, runId } = this.#parts.holder;
    return this.#inOrder(() => this.#keep(noteRun, { taskId, runId, type, payload }));
  };

  /** For what people may see and no decision depends on: the run continues without it. */
  async #keep<Request>(command: Command<Request, object>, request: Request): Promise<void> {
    const { ledger, log, holder } = this.#parts;
    try {
      await ledger.submit(command, request);
    } catch (error) {
      log.log('run.note_failed', { task: holder.taskId, ...faultFacts(error) });
    }
  }

  /** Submits at once what the ledger keeps in order: so the records of many lines share a commit. */
  #inOrder(record: () => Promise<void>): Promise<void> {
    if (this.#waiting > 0) return this.#afterOthers(record);
    const recorded = record();
    // The caller of record() gets the fault; later signals are recorded all the same.
    this.#newest = Promise.allSettled([this.#newest, recorded]);
    return recorded;
  }

  /** For a record that is read first, and for those that come after it meanwhile. */
  #afterOthers(record: () => Promise<void>): Promise<void> {
    this.#waiting++;
    const recorded = this.#newest.then(record).finally(() => this.#waiting--);
    this.#newest = recorded.catch(() => {});
    return recorded;
  }

  #logProblem(problem: string | null): void {
    if (problem !== null) this.#parts.output.remark(`[not accepted: ${problem}]`);
  }
}

/** Signals that a trace has, or that lead to events of the log. */
const TRACED: ReadonlySet<AgentSignal['kind']> = new Set(['trace', 'message', 'tool', 'thought', 'words']);
