import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import { CREDIT } from '../../../domain/agent/quota.ts';
import type { Conversation, ConversationInput, Launch, Reply } from '../../agent-driver.ts';
import type { OutputLine } from '../../sandbox/sandbox.ts';
import { modelEnd, statusIn } from '../vendor/model-failure.ts';
import { resetIn } from '../vendor/reset-text.ts';
import { unexpectedForm } from '../vendor/unexpected-form.ts';
import {
  ACP_ANSWERS,
  ACP_PERMISSION,
  ACP_UPDATE,
  ACP_VERSION,
  type AcpAnswer,
  acpRequest,
  cancelNotification,
  type JsonRpc,
  type JsonRpcId,
  methodNotFound,
  permissionAnswer,
  readJsonRpc,
} from './acp-messages.ts';
import { permissionQuestion } from './acp-permission.ts';
import { AcpUpdates } from './acp-updates.ts';

type Signals = readonly AgentSignal[];
type Request = Pick<Launch, 'prompt' | 'workspace' | 'agent' | 'resume' | 'spentInSession'>;

const NOTHING: Reply = { signals: [], write: null, isLast: false };
/** Ids of Baton's own requests. */
const ASKED = { initialize: 1, session: 2, load: 3, prompt: 4 } as const;
const AUTH_REQUIRED = -32_000;
/** goose ends a turn in order with the error of its model as its last words. */
const GAVE_UP = 'Ran into this error: ';
const NO_NETWORK = 'Network error: ';

function errorInWords(words: string): string | null {
  const at = words.indexOf(GAVE_UP);
  const begin = at >= 0 ? at + GAVE_UP.length : words.startsWith(NO_NETWORK) ? NO_NETWORK.length : words.length;
  const error = words.slice(begin);
  const end = error.search(/\n\nPlease re(?:try|send)\b/);
  return end > 0 ? error.slice(0, end) : null;
}

/** Agents put the limit of a vendor into words, without its status. */
const TOO_MANY = /\brate.?limit|\btoo many requests\b|\bexceeded your current quota\b/i;
/** Updates that only a model that answers causes. */
const ANSWERS: readonly string[] = ['agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_call_update'];
/** Codes of JSON-RPC and of the protocol, which are no status of HTTP. */
const CODES = /-32\d{3}/g;

/** The first message to an agent. Baton offers no files and no terminals: the agent uses its own, within its sandbox. */
export function initializeRequest(): string {
  const clientInfo = { name: 'baton', version: '1' };
  return acpRequest(ASKED.initialize, 'initialize', {
    protocolVersion: ACP_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo,
  });
}

/** One prompt to an agent of the Agent Client Protocol: JSON-RPC, a message a line. */
export class AcpConversation implements Conversation {
  readonly #request: Request;
  readonly #updates: AcpUpdates;
  /** Permissions that the agent waits for, by the id of the question. */
  readonly #asked = new Map<string, JsonRpcId>();
  #version: string | null = null;
  #session: string | null = null;
  /** The agent tells its earlier session again. */
  #isLoading = false;
  #isInterrupted = false;
  /** Its model has said or done something in this turn. */
  #hasAnswered = false;

  constructor(request: Request) {
    this.#request = request;
    this.#updates = new AcpUpdates(request.spentInSession?.costUsd ?? 0);
  }

  hear(heard: ConversationInput): Reply {
    switch (heard.kind) {
      case 'line':
        return this.#hearLine(heard.line);
      case 'words':
        // The protocol has no words within a turn.
        return NOTHING;
      case 'answer':
        return { ...NOTHING, write: this.#answer(heard.question, heard.option) };
      case 'interrupt':
        return this.#interrupt();
    }
  }

  end(): Signals {
    return this.#updates.flush();
  }

  #hearLine({ stream, text, isTruncated }: OutputLine): Reply {
    const output = { kind: 'output', stream, text } as const;
    const read = stream === 'stdout' && !isTruncated ? readJsonRpc(text) : null;
    if (read === null) return { ...NOTHING, signals: [output] };
    const { id = null, method } = read;
    if (method === undefined)
      return id === null ? { ...NOTHING, signals: [output] } : this.#hearAnswer(id, read, output);
    if (method === 'session/update') return { ...NOTHING, signals: this.#hearUpdate(read.params, output) };
    if (id === null) return { ...NOTHING, signals: [output] };
    if (method === 'session/request_permission') return this.#hearPermission(id, read.params, output);
    const asked: AgentSignal = { ...output, text: `it asked for ${method}, which Baton does not offer` };
    return { signals: [asked], write: methodNotFound(id, method), isLast: false };
  }

  #hearUpdate(params: unknown, output: AgentSignal): Signals {
    const read = ACP_UPDATE.safeParse(params);
    if (!read.success) return [this.#unexpected('session/update'), output];
    const { update } = read.data;
    const signals = this.#updates.read(update);
    if (this.#isLoading) {
      this.#updates.flush();
      return [{ kind: 'beat' }];
    }
    this.#hasAnswered ||= ANSWERS.includes(update.sessionUpdate);
    if (signals === 'unknown') return [output];
    return signals ?? [this.#unexpected(update.sessionUpdate), output];
  }

  #hearAnswer(id: JsonRpcId, { result, error }: JsonRpc, output: AgentSignal): Reply {
    if (!Object.values(ASKED).some((each) => each === id)) return { ...NOTHING, signals: [output] };
    if (error) return { signals: [...this.#updates.flush(), ...this.#failure(error)], write: null, isLast: true };
    switch (id) {
      case ASKED.initialize:
        return this.#parsed('initialize', result, (answer) => this.#begin(answer));
      case ASKED.session:
        return this.#parsed('session', result, ({ sessionId }) => this.#prompt(sessionId));
      case ASKED.load:
        this.#isLoading = false;
        this.#updates.forgetTokens();
        return this.#prompt(this.#request.resume ?? '');
      default:
        return this.#parsed('prompt', result, (answer) => this.#finish(answer));
    }
  }

  #begin({ agentInfo, agentCapabilities }: AcpAnswer<'initialize'>): Reply {
    this.#version = agentInfo?.version ?? null;
    const { workspace: cwd, resume, agent } = this.#request;
    const place = { cwd, mcpServers: [] };
    if (resume === null) return { ...NOTHING, write: acpRequest(ASKED.session, 'session/new', place) };
    if (agentCapabilities?.loadSession !== true)
      return { ...NOTHING, ...broken(`${agent.name} does not load an earlier session`) };
    this.#isLoading = true;
    return { ...NOTHING, write: acpRequest(ASKED.load, 'session/load', { sessionId: resume, ...place }) };
  }

  #prompt(sessionId: string): Reply {
    if (this.#isInterrupted) return { ...NOTHING, isLast: true };
    this.#session = sessionId;
    const prompt = [{ type: 'text' as const, text: this.#request.prompt.words }];
    return {
      signals: [{ kind: 'vendor-session', id: sessionId, model: null, version: this.#version }],
      write: acpRequest(ASKED.prompt, 'session/prompt', { sessionId, prompt }),
      isLast: false,
    };
  }

  #finish({ stopReason, usage }: AcpAnswer<'prompt'>): Reply {
    const words = this.#updates.flush();
    const spent: Signals = usage
      ? [
          {
            kind: 'usage',
            costUsd: this.#updates.costUsd,
            tokensInput: (usage.inputTokens ?? 0) + (usage.cachedReadTokens ?? 0) + (usage.cachedWriteTokens ?? 0),
            tokensOutput: (usage.outputTokens ?? 0) + (usage.thoughtTokens ?? 0),
            tier: null,
          },
        ]
      : [];
    return { signals: [...words, ...spent, ...this.#endOf(stopReason)], write: null, isLast: true };
  }

  #endOf(stopReason: string): Signals {
    const { lastWords: summary } = this.#updates;
    const error = errorInWords(summary ?? '');
    if (this.#isInterrupted) return [{ kind: 'finished', summary }];
    if (error !== null) return this.#failure({ code: 0, message: error });
    if (stopReason === 'end_turn') return [{ kind: 'finished', summary: this.#hasAnswered ? summary : SILENT_END }];
    return [{ kind: 'failure', code: 'process-crashed', message: `it stopped before it was done: ${stopReason}` }];
  }

  #hearPermission(id: JsonRpcId, params: unknown, output: AgentSignal): Reply {
    const read = ACP_PERMISSION.safeParse(params);
    if (!read.success) {
      const unexpected = this.#unexpected('session/request_permission');
      return { signals: [unexpected, output], write: permissionAnswer(id, null), isLast: false };
    }
    this.#hasAnswered = true;
    this.#asked.set(String(id), id);
    const begun = this.#updates.begin(read.data.toolCall);
    return { ...NOTHING, signals: [...this.#updates.flush(), ...begun, permissionQuestion(String(id), read.data)] };
  }

  #answer(question: string, option: string): string | null {
    const id = this.#asked.get(question);
    if (id === undefined) return null;
    this.#asked.delete(question);
    return permissionAnswer(id, option === '' ? null : option);
  }

  /** The agent answers its prompt when it has left off; what it asked before that is answered here. */
  #interrupt(): Reply {
    this.#isInterrupted = true;
    if (this.#session === null) return { ...NOTHING, isLast: true };
    const open = [...this.#asked.values()].map((id) => permissionAnswer(id, null)).join('');
    this.#asked.clear();
    return { ...NOTHING, write: `${cancelNotification({ sessionId: this.#session })}${open}` };
  }

  #failure({ code, message: text, data }: NonNullable<JsonRpc['error']>): Signals {
    if (this.#isInterrupted) return [{ kind: 'finished', summary: this.#updates.lastWords }];
    const details = data === undefined ? '' : `: ${typeof data === 'string' ? data : JSON.stringify(data)}`;
    const message = `${text}${details}`;
    const status = code === AUTH_REQUIRED ? 401 : (statusIn(message) ?? statusOf(message));
    const isLimit = status === 429 || TOO_MANY.test(message);
    const end = modelEnd(
      { status: isLimit ? 429 : status, message },
      `log in to ${this.#request.agent.name} by its own command`,
    );
    return isLimit && end.length === 1 ? [limitOf(message), ...end] : end;
  }

  #parsed<Name extends keyof typeof ACP_ANSWERS>(
    name: Name,
    result: unknown,
    read: (answer: AcpAnswer<Name>) => Reply,
  ): Reply {
    const parsed = ACP_ANSWERS[name].safeParse(result);
    if (parsed.success) return read(parsed.data as AcpAnswer<Name>);
    return { ...NOTHING, ...broken(`its answer to ${name} has a form that ACP ${ACP_VERSION} does not have`) };
  }

  #unexpected(name: string): AgentSignal {
    return unexpectedForm(this.#request.agent.name, this.#version, name);
  }
}

/** The words of an agent that had none: goose ends so when its model answers with something that is no answer. */
const SILENT_END = 'It ended its turn without a word; its model may have given no answer that it understands.';

/** Words about a bill and no time: waiting does not lift that limit. */
function limitOf(message: string): AgentSignal {
  const resets = resetIn(message);
  return { kind: 'quota', message, resets, scope: resets === null && /\bbilling\b/i.test(message) ? CREDIT : null };
}

function broken(message: string): Pick<Reply, 'signals' | 'isLast'> {
  return { signals: [{ kind: 'failure', code: 'process-crashed', message }], isLast: true };
}

/** Agents put the vendor's answer into the text in many forms. */
function statusOf(text: string): number | null {
  const status = /\b(401|403|404|429|5\d\d)\b/.exec(text.replace(CODES, ''))?.[1];
  return status === undefined ? null : Number(status);
}
