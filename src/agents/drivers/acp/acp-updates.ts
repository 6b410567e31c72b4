import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import { PASSAGE_CHARACTERS_MAX } from '../../../domain/limits.ts';
import { OpenCalls } from '../vendor/open-calls.ts';
import { ACP_UPDATES, type AcpToolCall } from './acp-messages.ts';

type Signals = readonly AgentSignal[];
type Count = number | null | undefined;
type Kind = 'words' | 'thought';

const BEAT: Signals = [{ kind: 'beat' }];
/** Updates of the protocol that say nothing about the work. */
const SILENT: readonly string[] = [
  ...['user_message_chunk', 'plan', 'available_commands_update', 'current_mode_update', 'config_option_update'],
  ...['session_info_update', 'notice', 'compaction_update'],
];

/** The updates of a session as signals. Words arrive in pieces; a whole passage is one signal. */
export class AcpUpdates {
  readonly #costBefore: number;
  readonly #calls = new OpenCalls();
  /** Calls whose input the model is still writing. */
  readonly #prepared = new OpenCalls();
  /** Calls that are over: agents still send their titles. */
  readonly #ended = new OpenCalls();
  #passage: { readonly kind: Kind; readonly text: string } | null = null;
  #lastWords: string | null = null;
  #costUsd: number | null = null;
  #tokens = { input: 0, output: 0 };

  /** The protocol counts the cost of a session, earlier runs in it included. */
  constructor(costBefore: number) {
    this.#costBefore = costBefore;
  }

  get lastWords(): string | null {
    return this.#lastWords;
  }

  /** Null where the agent reports none. */
  get costUsd(): number | null {
    return this.#costUsd;
  }

  /** Null for a known update of an unknown shape. */
  read(update: { readonly sessionUpdate: string }): Signals | null | 'unknown' {
    const { sessionUpdate: name } = update;
    switch (name) {
      case 'agent_message_chunk':
      case 'agent_thought_chunk': {
        const { data } = ACP_UPDATES[name].safeParse(update);
        if (!data) return null;
        const { usage } = data._meta ?? {};
        if (usage) return this.#addTokens(usage);
        return this.#add(name === 'agent_message_chunk' ? 'words' : 'thought', data.content.text ?? '');
      }
      case 'tool_call':
      case 'tool_call_update': {
        const { data } = ACP_UPDATES[name].safeParse(update);
        if (!data) return null;
        const isLate = name === 'tool_call_update' && this.#ended.nameOf(data.toolCallId) !== undefined;
        return isLate ? BEAT : this.#readTool(data);
      }
      case 'usage_update': {
        const { data } = ACP_UPDATES[name].safeParse(update);
        return data ? this.#readCost(data.cost) : null;
      }
      default:
        return SILENT.includes(name) ? BEAT : 'unknown';
    }
  }

  /** Tokens of a history that was told again were counted when they were spent. */
  forgetTokens(): void {
    this.#tokens = { input: 0, output: 0 };
  }

  /** The begin of a call that waits for a permission, where it was not told yet. */
  begin(call: AcpToolCall): Signals {
    return this.#prepared.nameOf(call.toolCallId) === undefined ? [] : this.#readTool({ ...call, status: null });
  }

  /** The passage that was being written. */
  flush(): Signals {
    const passage = this.#passage;
    this.#passage = null;
    if (passage === null || passage.text === '') return [];
    if (passage.kind === 'words') this.#lastWords = passage.text;
    return [passage];
  }

  #add(kind: Kind, text: string): Signals {
    const before = this.#passage?.kind === kind ? [] : this.flush();
    this.#passage = { kind, text: `${this.#passage?.text ?? ''}${text}` };
    const long = this.#passage.text.length > PASSAGE_CHARACTERS_MAX ? this.flush() : [];
    const signals = [...before, ...long];
    return signals.length === 0 ? BEAT : signals;
  }

  #addTokens({ inputTokens, outputTokens }: { inputTokens?: Count; outputTokens?: Count }): Signals {
    this.#tokens.input += inputTokens ?? 0;
    this.#tokens.output += outputTokens ?? 0;
    const { input, output } = this.#tokens;
    return [{ kind: 'usage', costUsd: this.#costUsd, tokensInput: input, tokensOutput: output, tier: null }];
  }

  #readCost(cost: { readonly amount: number; readonly currency: string } | null | undefined): Signals {
    if (cost?.currency !== 'USD') return BEAT;
    this.#costUsd = Math.max(0, cost.amount - this.#costBefore);
    return [{ kind: 'usage', costUsd: this.#costUsd, tokensInput: null, tokensOutput: null, tier: null }];
  }

  #readTool(call: AcpToolCall): Signals {
    const { toolCallId: id, status } = call;
    const known = this.#calls.nameOf(id);
    const title = call.name ?? call.title ?? call.kind ?? 'tool';
    if (known === undefined && status === 'pending' && isEmpty(call.rawInput)) {
      this.#prepared.begin(id, title);
      return BEAT;
    }
    const name = known ?? this.#prepared.end(id) ?? title;
    const input = JSON.stringify(call.rawInput ?? (call.title ? { title: call.title } : {}));
    // Only a new call ends a passage: news of an earlier one may come in the middle of a sentence.
    const begun: Signals =
      known === undefined ? [...this.flush(), { kind: 'tool', state: 'begun', id, name, input }] : [];
    this.#calls.begin(id, name);
    this.#ended.end(id);
    if (status !== 'completed' && status !== 'failed') return begun.length === 0 ? BEAT : begun;
    this.#calls.end(id);
    this.#ended.begin(id, name);
    const exitCode = exitCodeOf(call);
    const isSuccess = status === 'completed' && (exitCode ?? 0) === 0;
    return [...begun, { kind: 'tool', state: 'ended', id, name, result: resultOf(call), isSuccess, exitCode }];
  }
}

function isEmpty(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length === 0;
}

function resultOf({ content, rawOutput }: AcpToolCall): string {
  const parts = (content ?? []).map((part) => {
    const inner = part.content as { readonly text?: unknown } | null | undefined;
    if (typeof inner?.text === 'string') return inner.text;
    return typeof part.path === 'string' ? `${part.type}: ${part.path}` : `[${part.type}]`;
  });
  if (parts.length > 0) return parts.join('\n');
  return rawOutput === undefined ? '' : typeof rawOutput === 'string' ? rawOutput : JSON.stringify(rawOutput);
}

/** The exit code of a command, from the places that agents have for it: the protocol has no field. */
function exitCodeOf({ rawOutput, _meta }: AcpToolCall): number | null {
  const terminal = _meta?.terminal_exit as { readonly exit_code?: unknown } | null | undefined;
  const raw = rawOutput as
    | {
        readonly exit_code?: unknown;
        readonly exitCode?: unknown;
        readonly metadata?: { readonly exit?: unknown } | null;
      }
    | null
    | undefined;
  const places = [terminal?.exit_code, raw?.exit_code, raw?.exitCode, raw?.metadata?.exit];
  const code = places.find((each) => typeof each === 'number');
  return code === undefined ? null : (code as number);
}
