import type { AgentSignal, AgentTurn, ProgressSignal, RetryingSignal, ToolSignal } from '../../domain/agent-signal.ts';
import { assertNever } from '../../domain/assert-never.ts';
import type { RunHolder } from '../../domain/channel.ts';
import { RUN_NOTE_CHARACTERS_MAX, RUN_PROGRESS_SHOWN_MS } from '../../domain/limits.ts';
import type { Prompt } from '../../domain/prompt.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { noteRun, type RunNote } from '../../operations/note-run.ts';
import { recordTurn } from '../../operations/record-turn.ts';
import { faultFacts } from '../../platform/logger.ts';
import type { AttemptWorld } from './attempt.ts';
import type { RunLog } from './run-log.ts';

export interface SignalParts extends Pick<AttemptWorld, 'ledger' | 'clock' | 'log' | 'receive'> {
  readonly holder: RunHolder;
  readonly output: RunLog;
}

/** The same progress is logged for people at once, and for the sender at the pace of its protocol. */
interface ProgressReceiver {
  readonly isForSender: boolean;
  /** The sender's name for the task; null in an event for people. */
  readonly senderTask: string | null;
}

type Note = (type: RunNote['type'], payload: RunNote['payload']) => Promise<void>;

/** Each refused message is an event. An agent that prints more of them prints text, and it is recorded as such. */
const REFUSED_MESSAGES_MAX = 1_000;

/** Records the signals of one run: in its log file, as turns and as events of the ledger. */
export class SignalRecorder {
  readonly #parts: SignalParts;
  #shownAt = Number.NEGATIVE_INFINITY;
  #shown: number | string | null = null;
  #refused = 0;
  /** The newest record; the next one waits for it, so that events are logged in the order of the signals. */
  #newest: Promise<void> = Promise.resolve();

  constructor(parts: SignalParts) {
    this.#parts = parts;
  }

  /** The agent waits while a returned promise is pending, so it cannot outrun the ledger. */
  record(signal: AgentSignal): void | Promise<void> {
    const { output, holder, receive } = this.#parts;
    switch (signal.kind) {
      case 'beat':
      case 'usage':
      case 'claim':
      case 'finished':
        // The watch counts these; they reach the ledger with the end of the run.
        return;
      case 'output':
        if (output.line(signal.text)) output.flush();
        return;
      case 'malformed-claim':
        output.line(`[malformed answer: ${signal.message}]`);
        return;
      case 'progress':
        return this.#showProgress(signal);
      case 'thought':
        return this.#tell('run.thought', signal.text, '[thinks] ');
      case 'words':
        return this.#tell('run.spoke', signal.text, '');
      case 'retrying':
        return this.#recordRetry(signal);
      case 'failure':
        output.line(`[${signal.code}: ${signal.message}]`);
        return;
      case 'unexpected':
        output.line(`[not understood: ${signal.message}]`);
        return this.#note('run.warned', { code: null, message: brief(signal.message) });
      case 'turn':
        return this.#inOrder(() => this.#recordTurn(signal.turn));
      case 'tool':
        return this.#recordTool(signal);
      case 'question': {
        const { id, text, options } = signal;
        output.line(`[asks: ${text}]`);
        return this.#note('run.question_asked', { id, text: brief(text), options: options.map(brief) });
      }
      case 'quota': {
        const resetsAt = signal.resetsAt === null ? null : new Date(signal.resetsAt).toISOString();
        output.line(`[quota reached: ${signal.message}]`);
        return this.#note('run.quota_reached', { message: brief(signal.message), resetsAt });
      }
      case 'vendor-session': {
        const { id, model, version } = signal;
        output.line(`[session ${id}${model === null ? '' : `, ${model}`}]`);
        return this.#note('run.session_opened', { id: brief(id), model, version });
      }
      case 'message':
        return this.#inOrder(async () => {
          if (this.#refused === REFUSED_MESSAGES_MAX) return this.#showOnly(signal.text);
          const problem = await receive(signal.text, { kind: 'run', holder, by: 'pipe' });
          if (problem !== null) this.#refused++;
          this.#logProblem(problem);
        });
      default:
        return assertNever(signal);
    }
  }

  #recordRetry({ attempt, status, message }: RetryingSignal): Promise<void> {
    this.#parts.output.line(`[its model did not answer, try ${attempt}: ${message}]`);
    return this.#note('run.retried', { attempt, status, message: brief(message) });
  }

  #tell(type: RunNote['type'], text: string, before: string): Promise<void> {
    for (const line of text.trimEnd().split('\n')) this.#parts.output.line(`${before}${line}`);
    return this.#note(type, { text: brief(text) });
  }

  #showOnly(text: string): void {
    const { output } = this.#parts;
    if (output.line(text)) output.flush();
  }

  /** Resolves when every signal so far is recorded. */
  settled(): Promise<void> {
    return this.#newest;
  }

  /** An event for people who watch the run. Nothing depends on it, so the agent does not wait for it. */
  announce(type: RunNote['type'], payload: RunNote['payload']): void {
    void this.#note(type, payload);
  }

  /** Progress for the sender of the order, who has a name of its own for the task; without an order nobody waits for it. */
  sendProgress(signal: ProgressSignal, { ordered }: Prompt): void {
    if (ordered !== null) this.#announceProgress(signal, { isForSender: true, senderTask: ordered.order.taskId });
  }

  #announceProgress({ kind: _kind, ...progress }: ProgressSignal, receiver: ProgressReceiver): void {
    this.announce('run.progressed', { ...progress, ...receiver });
  }

  /** At most one entry in RUN_PROGRESS_SHOWN_MS, and none that repeats the last one. */
  #showProgress(signal: ProgressSignal): void {
    const { percentage, text } = signal;
    const mark = percentage ?? text;
    const now = this.#parts.clock.now().monotonicMs;
    if (mark === this.#shown || (now - this.#shownAt < RUN_PROGRESS_SHOWN_MS && percentage !== 100)) return;
    this.#shownAt = now;
    this.#shown = mark;
    this.#announceProgress(signal, { isForSender: false, senderTask: null });
  }

  async #recordTurn({ index, confidence, text }: AgentTurn): Promise<void> {
    const { ledger, holder } = this.#parts;
    const { taskId, runId } = holder;
    const turn = { taskId, runId, turnIndex: index, eventId: null, envelope: text, about: { confidence } };
    const stored = await ledger.submit(recordTurn, turn);
    this.#logProblem(isRefusal(stored) ? stored.message : null);
  }

  #recordTool(signal: ToolSignal): Promise<void> {
    const { id, name } = signal;
    const call = { call: brief(id), tool: brief(name) };
    return signal.state === 'begun'
      ? this.#note('run.tool_started', { ...call, input: brief(signal.input) })
      : this.#note('run.tool_ended', { ...call, isSuccess: signal.isSuccess, result: brief(signal.result) });
  }

  readonly #note: Note = (type, payload) =>
    this.#inOrder(async () => {
      const { ledger, log, holder } = this.#parts;
      const { taskId, runId } = holder;
      try {
        await ledger.submit(noteRun, { taskId, runId, type, payload });
      } catch (error) {
        log.log('run.note_failed', { task: taskId, ...faultFacts(error) });
      }
    });

  #inOrder(record: () => Promise<void>): Promise<void> {
    const recorded = this.#newest.then(record);
    // The caller of record() gets the fault; later signals are recorded all the same.
    this.#newest = recorded.catch(() => {});
    return recorded;
  }

  #logProblem(problem: string | null): void {
    if (problem !== null) this.#parts.output.line(`[not accepted: ${problem}]`);
  }
}

function brief(text: string): string {
  return text.length > RUN_NOTE_CHARACTERS_MAX ? `${text.slice(0, RUN_NOTE_CHARACTERS_MAX)}…` : text;
}
