import * as z from 'zod';
import type { AgentSignal } from '../../../domain/agent-signal.ts';
import type { OutputReader } from '../../agent-driver.ts';
import type { OutputLine } from '../../sandbox/sandbox.ts';
import { modelFailure, statusIn } from '../vendor/model-failure.ts';
import { readVendorLine } from '../vendor/vendor-line.ts';

type Read = readonly AgentSignal[];

const GEMINI_LOGIN = 'run gemini and log in, or set GEMINI_API_KEY';

const EVENTS = {
  init: z.object({ session_id: z.string(), model: z.string().nullish() }),
  message: z.object({ role: z.string(), content: z.string(), delta: z.boolean().nullish() }),
  tool_use: z.object({ tool_name: z.string(), tool_id: z.string(), parameters: z.unknown().optional() }),
  tool_result: z.object({
    tool_id: z.string(),
    status: z.string(),
    output: z.string().nullish(),
    error: z.object({ message: z.string() }).nullish(),
  }),
  result: z.object({
    status: z.string(),
    error: z.object({ message: z.string() }).nullish(),
    stats: z.object({ input_tokens: z.number().nullish(), output_tokens: z.number().nullish() }).nullish(),
  }),
} as const;
type Name = keyof typeof EVENTS;
type Event<Each extends Name> = z.infer<(typeof EVENTS)[Each]>;

/** A retry is on stderr only. */
const RETRYING = /^Attempt (\d+) failed(?: with status (\d{3}))?\b(.*)$/;
/** Gemini CLI reports a failed command as a success, and its code in words. */
const EXIT_CODE = /(?:exited with code|Exit Code): (\d+)/i;

/** The events of `gemini --output-format stream-json`. */
export class GeminiReader implements OutputReader {
  readonly #tools = new Map<string, string>();
  /** Words of a message that is still being written. */
  #words = '';
  #lastWords: string | null = null;
  /** The last HTTP status on stderr: a failed result does not always name it. */
  #status: number | null = null;

  line(line: OutputLine): Read {
    if (line.stream === 'stderr') return this.#readError(line);
    const read = readVendorLine(line);
    if (read.kind === 'text') return [read.signal];
    const { event } = read;
    const output: AgentSignal = { kind: 'output', stream: line.stream, text: line.text };
    const before = event.type === 'message' ? [] : this.#flush();
    if (!isName(event.type)) return [...before, output];
    const signals = this.#read(event.type, event);
    const unexpected: AgentSignal = {
      kind: 'unexpected',
      message: `Gemini CLI sent ${event.type} in a form that Baton does not know`,
    };
    return [...before, ...(signals ?? [unexpected, output])];
  }

  end(): Read {
    return this.#flush();
  }

  #readError({ stream, text }: OutputLine): Read {
    const [, attempt, status, rest = ''] = RETRYING.exec(text) ?? [];
    const named = /\bstatus: (\d{3})\b|"code":(\d{3})/.exec(text);
    this.#status = Number(status ?? named?.[1] ?? named?.[2] ?? 0) || this.#status;
    if (attempt === undefined) return [{ kind: 'output', stream, text }];
    const code = status === undefined ? null : Number(status);
    if (code === 401 || code === 403) return [modelFailure({ status: code, message: text }, GEMINI_LOGIN)];
    return [{ kind: 'retrying', attempt: Number(attempt), status: code, message: `HTTP ${status ?? 'error'}${rest}` }];
  }

  #read(name: Name, event: unknown): Read | null {
    switch (name) {
      case 'init':
        return parsed(name, event, ({ session_id: id, model = null }) => [
          { kind: 'vendor-session', id, model, version: null },
        ]);
      case 'message':
        return parsed(name, event, (message) => this.#readMessage(message));
      case 'tool_use':
        return parsed(name, event, ({ tool_id: id, tool_name: tool, parameters }) => {
          this.#tools.set(id, tool);
          return [{ kind: 'tool', state: 'begun', id, name: tool, input: JSON.stringify(parameters ?? {}) }];
        });
      case 'tool_result':
        return parsed(name, event, (result) => [this.#ended(result)]);
      case 'result':
        return parsed(name, event, (result) => this.#readResult(result));
    }
  }

  #readMessage({ role, content, delta }: Event<'message'>): Read {
    if (role !== 'assistant') return [{ kind: 'beat' }];
    this.#words += content;
    return delta ? [{ kind: 'beat' }] : this.#flush();
  }

  #flush(): Read {
    if (this.#words === '') return [];
    const text = this.#words;
    this.#words = '';
    this.#lastWords = text;
    return [{ kind: 'words', text }];
  }

  #ended({ tool_id: id, status, output, error }: Event<'tool_result'>): AgentSignal {
    const name = this.#tools.get(id) ?? 'tool';
    this.#tools.delete(id);
    const result = output ?? error?.message ?? '';
    const exitCode = name === 'run_shell_command' ? Number(EXIT_CODE.exec(result)?.[1] ?? 0) : null;
    const isSuccess = status === 'success' && (exitCode ?? 0) === 0;
    return { kind: 'tool', state: 'ended', id, name, result, isSuccess, exitCode };
  }

  #readResult({ status, error, stats }: Event<'result'>): Read {
    const { input_tokens: tokensInput = null, output_tokens: tokensOutput = null } = stats ?? {};
    const usage: AgentSignal = { kind: 'usage', costUsd: null, tokensInput, tokensOutput, tier: null };
    if (status === 'success') return [usage, { kind: 'finished', summary: this.#lastWords }];
    const message = error?.message ?? 'it reports an error without words';
    const named = /"code":\s*(\d{3})/.exec(message)?.[1];
    return [
      usage,
      modelFailure({ status: named ? Number(named) : (statusIn(message) ?? this.#status), message }, GEMINI_LOGIN),
    ];
  }
}

function isName(type: string): type is Name {
  return Object.hasOwn(EVENTS, type);
}

function parsed<Each extends Name>(name: Each, event: unknown, read: (event: Event<Each>) => Read): Read | null {
  const result = EVENTS[name].safeParse(event);
  return result.success ? read(result.data as Event<Each>) : null;
}
