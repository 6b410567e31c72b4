import * as z from 'zod';
import type { AgentSignal, TokenCount } from '../../../domain/agent/agent-signal.ts';
import type { Reset } from '../../../domain/agent/quota.ts';
import { PASSAGE_CHARACTERS_MAX } from '../../../domain/limits.ts';
import type { OutputReader } from '../../agent-driver.ts';
import type { OutputLine } from '../../sandbox/sandbox.ts';
import { VENDORS } from '../../vendors.ts';
import { errorWords, modelEnd, modelFailure, statusIn } from '../vendor/model-failure.ts';
import { OpenCalls } from '../vendor/open-calls.ts';
import { resetIn } from '../vendor/reset-text.ts';
import { unexpectedForm } from '../vendor/unexpected-form.ts';
import { readVendorLine } from '../vendor/vendor-line.ts';

type Signals = readonly AgentSignal[];

const GEMINI_LOGIN = VENDORS.gemini.login;

const stats = z.object({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  total_tokens: z.number().nullish(),
  cached: z.number().nullish(),
});

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
  error: z.object({ severity: z.string().nullish(), message: z.string() }),
  result: z.object({
    status: z.string(),
    error: z.object({ message: z.string() }).nullish(),
    stats: stats.extend({ models: z.record(z.string(), stats).nullish().catch(null) }).nullish(),
  }),
} as const;
type Name = keyof typeof EVENTS;
type Event<Each extends Name> = z.infer<(typeof EVENTS)[Each]>;
type Stats = z.infer<typeof stats>;

/** A retry is on stderr only. */
const RETRYING = /^Attempt (\d+) failed(?: with status (\d{3}))?\b(.*)$/;
/** Gemini CLI reports a failed command as a success, and its code in words if the command printed nothing. */
const EXIT_CODE = /(?:exited with code|Exit Code): (\d+)/i;

/** The frames of a stack and the fields of an error below them: the raw lines have them. */
const FRAME = /^\s+at \S/;
const BELOW_FRAME = /^(?:\s|[{}\]]|$)/;
/** About its own program, with every run. */
const CHATTER =
  /^(?:YOLO mode is enabled\.|Ripgrep is not available\.|Warning: (?:Basic terminal|256-color)|\[STARTUP\] |Loaded cached credentials)/;

/** Gemini CLI ends with exit code 41 before it asks its model. */
const NO_LOGIN = /^(?:Invalid auth method selected|Please set an Auth method)/;

function noLogin(text: string): AgentSignal {
  const settings = 'set security.auth.selectedType in ~/.gemini/settings.json (gemini-api-key for GEMINI_API_KEY)';
  const message = `its login is not set up: ${text.replace(/[.:]?$/, '')}; ${settings}, or ${GEMINI_LOGIN}`;
  return { kind: 'failure', code: 'permission-denied', message };
}

/** The events of `gemini --output-format stream-json`. */
export class GeminiReader implements OutputReader {
  readonly #version: string | null;
  readonly #tools = new OpenCalls();
  /** Words of a message that is still being written. */
  #words = '';
  #lastWords: string | null = null;
  /** The last error of its own: a failed result does not always have words. */
  #lastError: string | null = null;
  /** The last HTTP status on stderr: a failed result does not always name it. */
  #status: number | null = null;
  /** The time that the vendor's last error names. */
  #resets: Reset | null = null;
  /** The number of the last retry, whose message may continue on the next line. */
  #attempt: number | null = null;
  #isInStack = false;

  constructor(version: string | null = null) {
    this.#version = version;
  }

  line(line: OutputLine): Signals {
    if (line.stream === 'stderr') return this.#readError(line);
    const read = readVendorLine(line);
    if (read.kind === 'text') return [read.signal];
    const { event } = read;
    const output: AgentSignal = { kind: 'output', stream: line.stream, text: line.text };
    const before = event.type === 'message' ? [] : this.#flush();
    if (!isName(event.type)) return [...before, output];
    const signals = this.#read(event.type, event);
    const unexpected = unexpectedForm('Gemini CLI', this.#version, event.type);
    return [...before, ...(signals ?? [unexpected, output])];
  }

  end(): Signals {
    return this.#flush();
  }

  #readError({ stream, text }: OutputLine): Signals {
    if (NO_LOGIN.test(text)) return [noLogin(text)];
    const [, attempt, status, rest = ''] = RETRYING.exec(text) ?? [];
    const named = /\bstatus: (\d{3})\b|"code":(\d{3})/.exec(text);
    const missing = /\bModelNotFoundError:/.test(text) ? 404 : 0;
    this.#resets = resetIn(CAUSE.exec(text)?.[1] ?? '') ?? this.#resets;
    this.#status = Number(status ?? named?.[1] ?? named?.[2] ?? missing) || this.#status;
    this.#isInStack = FRAME.test(text) || (this.#isInStack && BELOW_FRAME.test(text));
    if (attempt === undefined) return this.#readDelay(text) ?? this.#shown({ stream, text });
    this.#attempt = Number(attempt);
    const code = status === undefined ? null : Number(status);
    if (code === 401 || code === 403) return [modelFailure({ status: code, message: text }, GEMINI_LOGIN)];
    const words = errorWords(rest).replace(OWN_WORDS, '');
    const message = `HTTP ${status ?? 'error'}${words && `: ${words}`}`;
    const retrying = { attempt: this.#attempt, status: code, message };
    return this.#readDelay(text) ?? [{ kind: 'retrying', ...retrying }];
  }

  #shown({ stream, text }: Pick<OutputLine, 'stream' | 'text'>): Signals {
    const isNoise = this.#isInStack || CHATTER.test(text);
    return isNoise ? [{ kind: 'beat' }] : [{ kind: 'output', stream, text: errorWords(text) }];
  }

  /** A retry that Gemini CLI puts off by the vendor's own word: `Retrying after 40095ms...`. */
  #readDelay(text: string): Signals | null {
    const ms = Number(/\bRetrying after (\d+)ms/.exec(text)?.[1] ?? Number.NaN);
    if (this.#attempt === null || Number.isNaN(ms)) return null;
    const attempt = this.#attempt;
    this.#attempt = null;
    return [{ kind: 'retrying', attempt, status: 429, message: text, resets: { kind: 'in', ms } }];
  }

  #read(name: Name, event: unknown): Signals | null {
    switch (name) {
      case 'init':
        return parsed(name, event, ({ session_id: id, model = null }) => [
          { kind: 'vendor-session', id, model, version: null },
        ]);
      case 'message':
        return parsed(name, event, (message) => this.#readMessage(message));
      case 'tool_use':
        return parsed(name, event, ({ tool_id: id, tool_name: tool, parameters }) => {
          this.#tools.begin(id, tool);
          return [{ kind: 'tool', state: 'begun', id, name: tool, input: JSON.stringify(parameters ?? {}) }];
        });
      case 'tool_result':
        return parsed(name, event, (result) => [this.#ended(result)]);
      case 'error':
        return parsed(name, event, ({ severity, message }) => {
          if (severity !== 'warning') this.#lastError = message;
          return [{ kind: 'output', stream: 'stderr', text: errorWords(message) }];
        });
      case 'result':
        return parsed(name, event, (result) => this.#readResult(result));
    }
  }

  #readMessage({ role, content, delta }: Event<'message'>): Signals {
    if (role !== 'assistant') return [{ kind: 'beat' }];
    this.#words += content;
    return delta && this.#words.length <= PASSAGE_CHARACTERS_MAX ? [{ kind: 'beat' }] : this.#flush();
  }

  #flush(): Signals {
    if (this.#words === '') return [];
    const text = this.#words;
    this.#words = '';
    this.#lastWords = text;
    return [{ kind: 'words', text }];
  }

  #ended({ tool_id: id, status, output, error }: Event<'tool_result'>): AgentSignal {
    const name = this.#tools.end(id) ?? 'tool';
    const result = output ?? error?.message ?? '';
    const code = name === 'run_shell_command' ? EXIT_CODE.exec(result)?.[1] : undefined;
    const exitCode = code === undefined ? null : Number(code);
    const isSuccess = status === 'success' && (exitCode ?? 0) === 0;
    return { kind: 'tool', state: 'ended', id, name, result, isSuccess, exitCode };
  }

  #readResult({ status, error, stats }: Event<'result'>): Signals {
    const usage = usageOf(stats ?? {});
    if (status === 'success') return [usage, { kind: 'finished', summary: this.#lastWords }];
    const message = error?.message ?? this.#lastError ?? 'it reports an error without words';
    const named = /"code":\s*(\d{3})/.exec(message)?.[1];
    const code = named ? Number(named) : (statusIn(message) ?? this.#status);
    const isLimit = EXHAUSTED.test(message) || (code === 429 && resetIn(message) !== null);
    const resets = resetIn(message) ?? this.#resets;
    if (!isLimit) return [usage, ...modelEnd({ status: code, message }, GEMINI_LOGIN)];
    const quota: AgentSignal = { kind: 'quota', message, resets, scope: scopeIn(message) };
    return [usage, quota, modelFailure({ status: 429, message }, GEMINI_LOGIN)];
  }
}

/** Its default is to choose a model for each request, and another one to choose it by. */
function usageOf({ models, ...all }: NonNullable<Event<'result'>['stats']>): AgentSignal {
  const byModel = models && Object.fromEntries(Object.entries(models).map(([name, each]) => [name, tokensOf(each)]));
  return { kind: 'usage', costUsd: null, ...tokensOf(all), ...(byModel && { byModel }), tier: null };
}

/** Thoughts are output that the vendor bills; Gemini CLI counts them in the total alone. */
function tokensOf({ input_tokens: input, output_tokens: output, total_tokens: total, cached }: Stats): TokenCount {
  const tokensInput = input ?? null;
  const tokensOutput = total && tokensInput !== null ? Math.max(output ?? 0, total - tokensInput) : (output ?? null);
  return { tokensInput, tokensOutput, ...(typeof cached === 'number' && { tokensCached: cached }) };
}

/** The words of Gemini CLI around an error of its vendor. */
const OWN_WORDS = /^(?:\. Retrying with backoff\.\.\.| failed)?:? ?(?:_?ApiError: )?/;

/** The error of the vendor's API, which Gemini CLI prints below its own. */
const CAUSE = /^\s+message: ['"`](.*)['"`],?$/;

/** Gemini CLI's own words once it does not try again. */
const EXHAUSTED =
  /exhausted your (?:daily quota|capacity)|exceeded your current quota|usage limit reached|RESOURCE_EXHAUSTED|"reason": ?"rateLimitExceeded"/i;

function scopeIn(message: string): string | null {
  return /\b(?:daily|per day|PerDay)/.test(message) ? 'day' : null;
}

function isName(type: string): type is Name {
  return Object.hasOwn(EVENTS, type);
}

function parsed<Each extends Name>(name: Each, event: unknown, read: (event: Event<Each>) => Signals): Signals | null {
  const result = EVENTS[name].safeParse(event);
  return result.success ? read(result.data as Event<Each>) : null;
}
