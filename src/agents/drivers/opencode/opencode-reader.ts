import * as z from 'zod';
import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import { CREDIT } from '../../../domain/agent/quota.ts';
import type { OutputReader } from '../../agent-driver.ts';
import type { OutputLine } from '../../sandbox/sandbox.ts';
import { VENDORS } from '../../vendors.ts';
import { modelEnd, modelFailure, statusIn } from '../vendor/model-failure.ts';
import { resetIn } from '../vendor/reset-text.ts';
import { unexpectedForm } from '../vendor/unexpected-form.ts';
import { readVendorLine } from '../vendor/vendor-line.ts';

type Signals = readonly AgentSignal[];

const OPENCODE_LOGIN = VENDORS.opencode.login;

const head = z.object({ sessionID: z.string().nullish() });
const tokens = z.object({
  input: z.number(),
  output: z.number(),
  reasoning: z.number().nullish(),
  cache: z.object({ read: z.number(), write: z.number() }).nullish(),
});

const EVENTS = {
  step_start: head,
  text: head.extend({ part: z.object({ text: z.string() }) }),
  reasoning: head.extend({ part: z.object({ text: z.string() }) }),
  tool_use: head.extend({
    part: z.object({
      tool: z.string(),
      callID: z.string(),
      state: z.object({
        status: z.string(),
        input: z.unknown().optional(),
        output: z.string().nullish(),
        error: z.string().nullish(),
        metadata: z.object({ exit: z.number().nullish() }).nullish(),
        time: z.object({ start: z.number(), end: z.number() }).nullish().catch(null),
      }),
    }),
  }),
  step_finish: head.extend({
    part: z.object({ reason: z.string().nullish(), tokens: tokens.nullish(), cost: z.number().nullish() }),
  }),
  error: head.extend({
    error: z.object({
      name: z.string().nullish(),
      data: z
        .object({
          message: z.string().nullish(),
          statusCode: z.number().nullish(),
          responseHeaders: z.record(z.string(), z.string()).nullish(),
          responseBody: z.string().nullish(),
        })
        .nullish(),
    }),
  }),
} as const;
type Name = keyof typeof EVENTS;
type Event<Each extends Name> = z.infer<(typeof EVENTS)[Each]>;

/** opencode tries again for ever and prints nothing on stdout; its log on stderr has the error of each try. */
const STREAM_ERROR = 'message="stream error"';
const STREAM_FIELDS = ['error.error=', 'error.error.message='];

/** The words of such an error; null for another line. */
function streamError(text: string): string | null {
  const begin = text.indexOf(STREAM_ERROR);
  const small = begin < 0 ? -1 : text.indexOf(' small=false ', begin);
  const field = STREAM_FIELDS.map((name) => ({ name, at: text.lastIndexOf(name) })).sort((a, b) => b.at - a.at)[0];
  if (small < 0 || field === undefined || field.at < small) return null;
  const [, quoted, word = quoted] =
    /^(?:"((?:[^"\\]|\\.)*)"|(\S+))/.exec(text.slice(field.at + field.name.length)) ?? [];
  return word ?? null;
}

/** The error that an event on stdout reports too, with the stack of its program. */
function isRepeated(text: string): boolean {
  const at = text.indexOf(' message=process ');
  return /^timestamp=\S+ level=ERROR /.test(text) && at > 0 && text.includes(' stack="', at);
}

const OWN_NAME = /^AI_\w+: /;

/** Its log has the words of a provider, not the status: those of OpenAI, Anthropic, Google and their like for 429. */
const TOO_MANY = /\brate.?limit|\btoo many requests\b|\bquota\b|\bexhausted\b/i;

/** The events of `opencode run --format json`, and its log of errors. */
export class OpencodeReader implements OutputReader {
  readonly #version: string | null;
  #hasSession = false;
  #lastWords: string | null = null;
  #spend = { costUsd: 0, tokensInput: 0, tokensOutput: 0 };
  #retries = 0;
  /** Its model has said and done nothing in this step. */
  #isStepEmpty = false;

  constructor(version: string | null = null) {
    this.#version = version;
  }

  line(line: OutputLine): Signals {
    if (line.stream === 'stderr') return this.#readLog(line);
    const read = readVendorLine(line);
    if (read.kind === 'text') return [read.signal];
    const { event } = read;
    const output: AgentSignal = { kind: 'output', stream: line.stream, text: line.text };
    if (!isName(event.type)) return [output];
    const signals = this.#read(event.type, event);
    if (event.type !== 'step_finish') this.#isStepEmpty = event.type === 'step_start';
    if (signals === null) return [unexpectedForm('opencode', this.#version, event.type), output];
    return [...this.#session(event), ...signals];
  }

  end(): Signals {
    return [];
  }

  #readLog({ stream, text }: OutputLine): Signals {
    const message = streamError(text)?.replace(OWN_NAME, '');
    if (message === undefined) return isRepeated(text) ? [{ kind: 'beat' }] : [{ kind: 'output', stream, text }];
    return [this.#retrying(message, statusIn(message) ?? (TOO_MANY.test(message) ? 429 : null))];
  }

  #retrying(message: string, status: number | null): AgentSignal {
    this.#retries++;
    return { kind: 'retrying', attempt: this.#retries, status, message };
  }

  #session(event: unknown): Signals {
    const { sessionID: id } = head.parse(event);
    if (this.#hasSession || !id) return [];
    this.#hasSession = true;
    return [{ kind: 'vendor-session', id, model: null, version: null }];
  }

  #read(name: Name, event: unknown): Signals | null {
    switch (name) {
      case 'step_start':
        return [{ kind: 'beat' }];
      case 'text':
        return parsed(name, event, ({ part: { text } }) => {
          this.#lastWords = text;
          return [{ kind: 'words', text }];
        });
      case 'reasoning':
        return parsed(name, event, ({ part: { text } }) => [{ kind: 'thought', text }]);
      case 'tool_use':
        return parsed(name, event, ({ part }) => toolSignals(part));
      case 'step_finish':
        return parsed(name, event, ({ part }) => this.#finishStep(part));
      case 'error':
        return parsed(name, event, ({ error: { name: kind, data } }) => {
          const message = data?.message ?? kind ?? 'it reports an error without words';
          const status = data?.statusCode ?? statusIn(message);
          const failed = { status, message };
          if (status !== 429) return modelEnd(failed, OPENCODE_LOGIN);
          return [quotaOf(message, data ?? {}), modelFailure(failed, OPENCODE_LOGIN)];
        });
    }
  }

  #finishStep({ reason, tokens: used, cost }: Event<'step_finish'>['part']): Signals {
    // Such an answer makes opencode ask again, at once and for ever.
    const isEmpty = this.#isStepEmpty && reason === 'unknown' && !used?.input && !used?.output;
    if (isEmpty) return [this.#retrying('only empty answers; does the address in its settings lead to a model?', null)];
    const { cache, reasoning } = used ?? {};
    this.#spend = {
      costUsd: this.#spend.costUsd + (cost ?? 0),
      tokensInput: this.#spend.tokensInput + (used?.input ?? 0) + (cache?.read ?? 0) + (cache?.write ?? 0),
      tokensOutput: this.#spend.tokensOutput + (used?.output ?? 0) + (reasoning ?? 0),
    };
    const usage: AgentSignal = { kind: 'usage', ...this.#spend, tier: null };
    return reason === 'stop' ? [usage, { kind: 'finished', summary: this.#lastWords }] : [usage];
  }
}

type ErrorData = NonNullable<Event<'error'>['error']['data']>;

/** opencode hands on the headers and the body of the provider that refused. */
function quotaOf(message: string, { responseHeaders, responseBody }: ErrorData): AgentSignal {
  const header = (name: string) =>
    Object.entries(responseHeaders ?? {}).find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
  const ms = Number(header('retry-after-ms') || Number.NaN);
  const seconds = Number(header('retry-after') || Number.NaN);
  const date = Date.parse(header('retry-after'));
  const isCredit = /\binsufficient_quota\b|\bbilling\b/i.test(responseBody ?? '');
  const scope = isCredit ? CREDIT : null;
  if (!Number.isNaN(ms)) return { kind: 'quota', message, resets: { kind: 'in', ms }, scope };
  if (!Number.isNaN(seconds)) return { kind: 'quota', message, resets: { kind: 'in', ms: seconds * 1_000 }, scope };
  const resets = Number.isNaN(date) ? resetIn(message) : ({ kind: 'at', wallMs: date } as const);
  return { kind: 'quota', message, resets, scope };
}

/** opencode prints a tool call once it has ended. */
function toolSignals({ tool: name, callID: id, state }: Event<'tool_use'>['part']): Signals {
  const exitCode = state.metadata?.exit ?? null;
  // A call that its model got wrong is completed by a tool of this name.
  const isSuccess = state.status === 'completed' && (exitCode ?? 0) === 0 && name !== 'invalid';
  const result = state.output ?? state.error ?? '';
  const took = state.time && { tookMs: Math.max(0, state.time.end - state.time.start) };
  return [
    { kind: 'tool', state: 'begun', id, name, input: JSON.stringify(state.input ?? {}) },
    { kind: 'tool', state: 'ended', id, name, result, isSuccess, exitCode, ...took },
  ];
}

function isName(type: string): type is Name {
  return Object.hasOwn(EVENTS, type);
}

function parsed<Each extends Name>(name: Each, event: unknown, read: (event: Event<Each>) => Signals): Signals | null {
  const result = EVENTS[name].safeParse(event);
  return result.success ? read(result.data as Event<Each>) : null;
}
