import type { AgentSignal, PermissionAsked, QuotaSignal } from '../../../domain/agent/agent-signal.ts';
import type { Conversation, ConversationInput, Reply, VendorSessionSpend } from '../../agent-driver.ts';
import type { OutputLine } from '../../sandbox/sandbox.ts';
import { VENDORS } from '../../vendors.ts';
import { modelEnd, modelFailure } from '../vendor/model-failure.ts';
import { OpenCalls } from '../vendor/open-calls.ts';
import { unexpectedForm } from '../vendor/unexpected-form.ts';
import { readVendorLine } from '../vendor/vendor-line.ts';
import { CLAUDE_EVENTS, type ClaudeEvent, contentText, exitCodeIn } from './claude-events.ts';
import { costOfRun, inputTokens, tokensOf } from './claude-spend.ts';

type Event = { readonly type: string } & Readonly<Record<string, unknown>>;
type Signals = readonly AgentSignal[];

const CLAUDE_LOGIN = VENDORS.claude.login;

/** The tools of Claude Code by what they touch; others, such as those of MCP servers, may do anything. */
const ACCESS: Readonly<Record<string, PermissionAsked['access']>> = {
  Write: 'edit',
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Bash: 'command',
  WebFetch: 'network',
  WebSearch: 'network',
};

const NOTHING: Reply = { signals: [], write: null, isLast: false };
const BEAT: Signals = [{ kind: 'beat' }];

/** The two-way stream of Claude Code: events on stdout; words, answers and an interrupt on stdin. */
export class ClaudeConversation implements Conversation {
  #version: string | null = null;
  /** Names of tool calls whose result is not there yet. */
  readonly #tools = new OpenCalls();
  /** Inputs of permissions that were asked for; the answer repeats them. */
  readonly #asked = new Map<string, Readonly<Record<string, unknown>>>();
  #tokens = { input: 0, output: 0 };
  /** Output tokens of the message that is written now. */
  #written = 0;
  /** The limit that the vendor refused the last request by. */
  #limit: QuotaSignal | null = null;
  #hasRetried = false;
  #isInterrupted = false;
  #isOver = false;
  readonly #spentBefore: VendorSessionSpend;

  constructor(spentInSession: VendorSessionSpend = { costUsd: 0, tokensInput: 0, tokensOutput: 0 }) {
    this.#spentBefore = spentInSession;
  }

  hear(heard: ConversationInput): Reply {
    switch (heard.kind) {
      case 'line':
        return this.#hearLine(heard.line);
      case 'words':
        // After its result it hears nothing more.
        return { ...NOTHING, write: this.#isOver ? null : userMessage(heard.text) };
      case 'answer':
        return { ...NOTHING, write: this.#answer(heard.question, heard.option) };
      case 'interrupt':
        this.#isInterrupted = true;
        return {
          ...NOTHING,
          write: jsonLine({
            type: 'control_request',
            request_id: 'baton-interrupt',
            request: { subtype: 'interrupt' },
          }),
        };
    }
  }

  end(): readonly AgentSignal[] {
    return [];
  }

  #hearLine(line: OutputLine): Reply {
    const read = readVendorLine(line);
    if (read.kind === 'text') return { ...NOTHING, signals: [read.signal] };
    const { event } = read;
    const signals = this.#read(event) ?? [
      this.#unexpected(event),
      { kind: 'output', stream: line.stream, text: line.text },
    ];
    // One prompt, one result: Claude Code exits when its stdin ends.
    this.#isOver ||= event.type === 'result';
    return { signals, write: this.#refusal(event), isLast: event.type === 'result' };
  }

  /** Null for a known event of an unknown shape. */
  #read(event: Event): Signals | null {
    switch (event.type) {
      case 'system':
        return this.#readSystem(event);
      case 'assistant':
        return parsed('assistant', event, (each) => this.#readAssistant(each));
      case 'user':
        return parsed('user', event, (each) => this.#readUser(each));
      case 'stream_event':
        return parsed('stream', event, (each) => this.#readStream(each));
      case 'rate_limit_event':
        return parsed('limit', event, (each) => this.#readLimit(each));
      case 'result':
        return parsed('result', event, (each) => this.#readResult(each));
      case 'control_request':
        return parsed('permission', event, (each) => this.#readPermission(each));
      case 'control_response':
      case 'keep_alive':
        return BEAT;
      default:
        return [{ kind: 'output', stream: 'stdout', text: JSON.stringify(event) }];
    }
  }

  #readSystem(event: Event): Signals | null {
    switch (event.subtype) {
      case 'init':
        return parsed('init', event, ({ session_id: id, model = null, claude_code_version: version = null }) => {
          this.#version = version;
          return [{ kind: 'vendor-session', id, model, version }];
        });
      case 'api_retry':
        return parsed('retry', event, ({ attempt, retry_delay_ms: ms, error_status: status = null, error }) => {
          // Claude Code calls an error unknown that is no answer of its vendor: the host cannot be reached.
          const reason = error && error !== 'unknown' ? error : 'it could not be reached';
          const message = `${reason}${status === null ? '' : ` (HTTP ${status})`}`;
          if (status === 401 || status === 403) return [modelFailure({ status, message }, CLAUDE_LOGIN)];
          this.#hasRetried = true;
          const resets = status === 429 && ms && { resets: { kind: 'in', ms } as const };
          return [{ kind: 'retrying', attempt, status, message, ...resets }];
        });
      case 'permission_denied':
        return parsed('denied', event, ({ tool_name: tool, message }) => [
          { kind: 'output', stream: 'stdout', text: `${tool} was not permitted${message ? `: ${message}` : ''}` },
        ]);
      default:
        return BEAT;
    }
  }

  #readAssistant({ message, is_api_error_message: isError }: ClaudeEvent<'assistant'>): Signals {
    // The result that follows reports the error.
    if (isError || typeof message.content === 'string') return BEAT;
    return message.content.flatMap((block): Signals => {
      switch (block?.type) {
        case 'text':
          return block.text === '' ? [] : [{ kind: 'words', text: block.text }];
        case 'thinking':
          return block.thinking === '' ? [] : [{ kind: 'thought', text: block.thinking }];
        case 'tool_use':
          this.#tools.begin(block.id, block.name);
          return [
            { kind: 'tool', state: 'begun', id: block.id, name: block.name, input: JSON.stringify(block.input ?? {}) },
          ];
        default:
          return BEAT;
      }
    });
  }

  #readUser({ message, isReplay }: ClaudeEvent<'user'>): Signals {
    if (isReplay || typeof message.content === 'string') return BEAT;
    return message.content.flatMap((block): Signals => {
      if (block?.type !== 'tool_result') return BEAT;
      const { tool_use_id: id, content, is_error } = block;
      const name = this.#tools.end(id) ?? 'tool';
      const result = contentText(content);
      const isSuccess = is_error !== true;
      const exitCode = name === 'Bash' ? exitCodeIn(result, isSuccess) : null;
      return [{ kind: 'tool', state: 'ended', id, name, result, isSuccess, exitCode }];
    });
  }

  /** Counts tokens as they are reported: input when a message begins, output while it is written. */
  #readStream({ event: { type, message, usage } }: ClaudeEvent<'stream'>): Signals {
    if (type === 'message_start') {
      this.#tokens.input += inputTokens(message?.usage);
      this.#written = message?.usage?.output_tokens ?? 0;
      this.#tokens.output += this.#written;
      return [{ kind: 'answering' }, this.#usage(null)];
    } else if (type === 'message_delta') {
      const written = usage?.output_tokens ?? this.#written;
      this.#tokens.output += written - this.#written;
      this.#written = written;
    } else return BEAT;
    return [this.#usage(null)];
  }

  #readLimit({ rate_limit_info: { status, resetsAt, rateLimitType } }: ClaudeEvent<'limit'>): Signals {
    if (status !== 'rejected') return BEAT;
    this.#limit = {
      kind: 'quota',
      message: `the limit of its plan is reached (${rateLimitType ?? 'unknown'})`,
      resets: resetsAt ? { kind: 'at', wallMs: resetsAt * 1_000 } : null,
      scope: rateLimitType ?? null,
    };
    return [this.#limit];
  }

  #readResult({ is_error, result, errors, ...end }: ClaudeEvent<'result'>): Signals {
    const isCapped = end.subtype === 'error_max_budget_usd';
    // A run that ends at its cap reports none for its last turn.
    if (end.usage && !isCapped) this.#tokens = tokensOf(end.usage);
    const usage = this.#usage(costOfRun({ ...end, tokens: this.#tokens }, this.#spentBefore));
    if (!is_error || this.#isInterrupted) return [usage, { kind: 'finished', summary: result ?? null }];
    const message = result || errors?.join('; ') || 'it reports an error without words';
    if (isCapped)
      return [usage, { kind: 'failure', code: 'budget-exceeded', message: `it stopped at its cap: ${message}` }];
    const status = end.api_error_status ?? null;
    // Claude Code tries a 429 again, unless the vendor asks for a long wait.
    const isLimit = end.api_error === 'usage_limit_reached' || PLAN_LIMIT.test(message) || !this.#hasRetried;
    const limit: Signals = status === 429 && isLimit && this.#limit === null ? [quotaOf(message)] : [];
    return [usage, ...limit, ...modelEnd({ status, message }, CLAUDE_LOGIN)];
  }

  #readPermission({ request_id: id, request }: ClaudeEvent<'permission'>): Signals {
    const { tool_name: tool, input, blocked_path: path, decision_reason: reason = null } = request;
    this.#asked.set(id, input);
    const file = path ?? input.file_path ?? input.notebook_path;
    const command = input.command ?? input.url ?? input.query;
    const permission = {
      tool,
      input: JSON.stringify(input),
      paths: typeof file === 'string' ? [file] : [],
      access: ACCESS[tool] ?? 'other',
      ...(typeof command === 'string' && { command }),
      reason,
      allow: 'yes',
      refuse: 'no',
    };
    return [{ kind: 'question', id, text: `May it use ${tool}?`, options: ['yes', 'no'], permission }];
  }

  /** A request that Baton does not know is refused: Claude Code would wait for an answer. */
  #refusal({ type, request_id: id }: Event): string | null {
    if (type !== 'control_request' || typeof id !== 'string' || this.#asked.has(id)) return null;
    const response = { subtype: 'error', request_id: id, error: 'Baton does not know this request' };
    return jsonLine({ type: 'control_response', response });
  }

  #answer(id: string, option: string): string | null {
    const input = this.#asked.get(id);
    if (input === undefined) return null;
    this.#asked.delete(id);
    const response =
      option === 'yes'
        ? { behavior: 'allow', updatedInput: input }
        : { behavior: 'deny', message: 'The user does not permit it. Continue without it.' };
    return jsonLine({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
  }

  #usage(costUsd: number | null): AgentSignal {
    const { input, output } = this.#tokens;
    return { kind: 'usage', costUsd, tokensInput: input, tokensOutput: output, tier: null };
  }

  #unexpected({ type, subtype }: Event): AgentSignal {
    const name = typeof subtype === 'string' ? `${type}/${subtype}` : type;
    return unexpectedForm('Claude Code', this.#version, name);
  }
}

/** Older versions say the limit of a plan in the result only: `Claude AI usage limit reached|1749924000`. */
const PLAN_LIMIT = /usage limit reached(?:\|(\d{10}))?/i;

function quotaOf(message: string): QuotaSignal {
  const seconds = PLAN_LIMIT.exec(message)?.[1];
  const resets = seconds === undefined ? null : ({ kind: 'at', wallMs: Number(seconds) * 1_000 } as const);
  return { kind: 'quota', message, resets, scope: null };
}

export function userMessage(content: string): string {
  return jsonLine({ type: 'user', message: { role: 'user', content } });
}

function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function parsed<Name extends keyof typeof CLAUDE_EVENTS>(
  name: Name,
  event: Event,
  read: (event: ClaudeEvent<Name>) => Signals,
): Signals | null {
  const result = CLAUDE_EVENTS[name].safeParse(event);
  return result.success ? read(result.data as ClaudeEvent<Name>) : null;
}
