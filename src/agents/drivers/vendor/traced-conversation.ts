import type { AgentSignal, ToolSignal, UsageSignal } from '../../../domain/agent/agent-signal.ts';
import { STORY_TEXT_CHARACTERS_MAX } from '../../../domain/limits.ts';
import { shorten } from '../../../domain/words/shorten.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Ids } from '../../../platform/ids.ts';
import { encodeSaop } from '../../../protocols/saop/encode.ts';
import type { EventPayload, TurnEnvelope } from '../../../protocols/saop/schema.ts';
import { readTraceMessage, traceEvent } from '../../../protocols/saop/trace-message.ts';
import type { Conversation, ConversationInput, Reply } from '../../agent-driver.ts';

export interface TracedRun {
  readonly taskId: string;
  readonly sessionId: string;
  readonly role: TurnEnvelope['role'];
}

interface TraceTools {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'uuid'>;
}

/** No vendor reports how sure its model is (saop:made-turns). */
const CONFIDENCE_UNKNOWN = 0.5;
const ID_CHARACTERS_MAX = 128;
/** Enough of a call to tell its result from that of another one. */
const CALL_CHARACTERS_MAX = 200;

interface OpenCall {
  readonly name: string;
  /** Its name in an observation. */
  readonly title: string;
  readonly begunAt: number;
}

/**
 * Adds to the signals of a vendor's agent the SAOP turns and events that they amount to. A turn is what the model said before
 * the next tool results; it observes the results of the turn before. Its thoughts are streamed as they come; the chunk that
 * ends them comes with the turn.
 */
export class TracedConversation implements Conversation {
  readonly #inner: Conversation;
  readonly #run: TracedRun;
  readonly #tools: TraceTools;
  #index = 0;
  #thoughts: string[] = [];
  #actions: string[] = [];
  #results: string[] = [];
  /** Results that belong to the observation of the present turn. */
  #observation = '';
  #callsInTurn = 0;
  #usage: UsageSignal | null = null;
  readonly #calls = new Map<string, OpenCall>();

  constructor(inner: Conversation, run: TracedRun, tools: TraceTools) {
    this.#inner = inner;
    this.#run = run;
    this.#tools = tools;
  }

  hear(heard: ConversationInput): Reply {
    const reply = this.#inner.hear(heard);
    if (reply.signals.length === 0) return reply;
    return { ...reply, signals: reply.signals.flatMap((signal) => [signal, ...this.#trace(signal)]) };
  }

  end(): readonly AgentSignal[] {
    const last = this.#inner.end().flatMap((signal) => [signal, ...this.#trace(signal)]);
    const unended = [...this.#calls].map(([id, call]) => this.#completed(id, call, 'timeout'));
    this.#calls.clear();
    const turn = this.#endTurn();
    if (this.#results.length === 0) return [...last, ...unended, ...turn];
    // The model said nothing more about these results.
    this.#beginTurn();
    return [...last, ...unended, ...turn, ...this.#turn()];
  }

  #trace(signal: AgentSignal): readonly AgentSignal[] {
    switch (signal.kind) {
      case 'thought':
        this.#beginTurn();
        this.#thoughts.push(signal.text);
        return [this.#thought(signal.text, false)];
      case 'words':
        this.#beginTurn();
        this.#actions.push(signal.text);
        return [];
      case 'tool':
        return signal.state === 'begun' ? this.#begin(signal) : this.#end(signal);
      case 'usage':
        this.#usage = signal;
        return [];
      default:
        return [];
    }
  }

  #begin({ id, name, input }: Extract<ToolSignal, { readonly state: 'begun' }>): readonly AgentSignal[] {
    this.#beginTurn();
    const tool = name || 'tool';
    this.#callsInTurn += 1;
    this.#actions.push(`${tool} ${shorten(input, STORY_TEXT_CHARACTERS_MAX)}`);
    const title = `${tool} ${shorten(input, CALL_CHARACTERS_MAX)}`;
    this.#calls.set(id, { name: tool, title, begunAt: this.#now() });
    const call = { type: 'TOOL_LIFECYCLE_INVOKED', call_id: callId(id), tool } as const;
    return [this.#event({ ...call, arguments: argumentsOf(input), timestamp: this.#instant() })];
  }

  #end(signal: Extract<ToolSignal, { readonly state: 'ended' }>): readonly AgentSignal[] {
    const { id, name, result, isSuccess, tookMs = 0 } = signal;
    const tool = name || 'tool';
    const begun = this.#calls.get(id) ?? { name: tool, title: tool, begunAt: this.#now() };
    const call = { ...begun, begunAt: Math.min(begun.begunAt, this.#now() - tookMs) };
    this.#calls.delete(id);
    const ended = this.#endTurn();
    this.#results.push(`${call.title}: ${shorten(result, STORY_TEXT_CHARACTERS_MAX)}`);
    return [...ended, this.#completed(id, call, isSuccess ? 'success' : 'failure')];
  }

  /** The model speaks again after tool results: they are what the new turn observes. */
  #beginTurn(): void {
    if (this.#results.length === 0) return;
    this.#observation = this.#results.join('\n');
    this.#results = [];
  }

  /** The turn, if the model said something since the last one. */
  #endTurn(): readonly AgentSignal[] {
    return this.#thoughts.length + this.#actions.length === 0 ? [] : this.#turn();
  }

  #turn(): readonly AgentSignal[] {
    const final = this.#thought('', true);
    const content = {
      thought: this.#thoughts.join('\n'),
      action: this.#actions.join('\n'),
      observation: this.#observation,
    };
    const turn = this.#envelope(content);
    this.#index += 1;
    this.#thoughts = [];
    this.#actions = [];
    this.#observation = '';
    this.#callsInTurn = 0;
    return [final, { kind: 'trace', message: readTraceMessage(turn, encodeSaop(turn)) }];
  }

  #envelope(content: TurnEnvelope['content']): TurnEnvelope {
    const { taskId, role } = this.#run;
    return {
      turn_index: this.#index,
      agent_id: role,
      role,
      content,
      metadata: {
        version: '1.0.0',
        task_id: taskId,
        timestamp: this.#instant(),
        confidence: CONFIDENCE_UNKNOWN,
        estimated_complexity: complexityOf(this.#callsInTurn),
        ...usageOf(this.#usage),
      },
    };
  }

  #thought(chunk: string, isFinal: boolean): AgentSignal {
    const { role } = this.#run;
    const payload = { type: 'THOUGHT_STREAM', agent_id: role, turn_index: this.#index, chunk } as const;
    return this.#event({ ...payload, is_final: isFinal });
  }

  #completed(id: string, { name, begunAt }: OpenCall, status: 'success' | 'failure' | 'timeout'): AgentSignal {
    return this.#event({
      type: 'TOOL_LIFECYCLE_COMPLETED',
      call_id: callId(id),
      tool: name,
      status,
      duration_ms: Math.max(0, Math.round(this.#now() - begunAt)),
      timestamp: this.#instant(),
    });
  }

  #event(payload: EventPayload): AgentSignal {
    const eventId = this.#tools.ids.uuid();
    const message = traceEvent({ event_id: eventId, session_id: this.#run.sessionId, payload });
    return { kind: 'trace', message };
  }

  #now(): number {
    return this.#tools.clock.now().monotonicMs;
  }

  #instant(): string {
    return new Date(this.#tools.clock.now().wallMs).toISOString();
  }
}

function callId(id: string): string {
  return id.slice(0, ID_CHARACTERS_MAX) || 'call';
}

function argumentsOf(input: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(input);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Text, or cut.
  }
  return { input };
}

function complexityOf(calls: number): TurnEnvelope['metadata']['estimated_complexity'] {
  if (calls < 2) return 'low';
  return calls < 5 ? 'medium' : 'high';
}

/** The totals of the run so far, in a field that SAOP does not know and that its readers keep. */
function usageOf(usage: UsageSignal | null) {
  if (usage === null) return {};
  const { tokensInput, tokensOutput, costUsd } = usage;
  return { usage: { tokens_input: tokensInput, tokens_output: tokensOutput, cost_usd: costUsd } };
}
