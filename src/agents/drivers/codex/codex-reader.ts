import * as z from 'zod';
import type { AgentSignal } from '../../../domain/agent-signal.ts';
import type { OutputReader } from '../../agent-driver.ts';
import type { OutputLine } from '../../sandbox/sandbox.ts';
import { modelFailure, statusIn } from '../vendor/model-failure.ts';
import { readVendorLine } from '../vendor/vendor-line.ts';

type Read = readonly AgentSignal[];

const CODEX_LOGIN = 'run codex login, or set OPENAI_API_KEY';

const item = z.object({
  id: z.string(),
  type: z.string(),
  text: z.string().nullish(),
  message: z.string().nullish(),
  command: z.string().nullish(),
  aggregated_output: z.string().nullish(),
  exit_code: z.number().nullish(),
  status: z.string().nullish(),
  changes: z.array(z.object({ path: z.string(), kind: z.unknown() })).nullish(),
  server: z.string().nullish(),
  tool: z.string().nullish(),
  arguments: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).nullish(),
  query: z.string().nullish(),
});
type Item = z.infer<typeof item>;

const EVENTS = {
  'thread.started': z.object({ thread_id: z.string() }),
  item: z.object({ item }),
  'turn.completed': z.object({
    usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }),
  }),
  'turn.failed': z.object({ error: z.object({ message: z.string() }) }),
  error: z.object({ message: z.string() }),
} as const;

const RECONNECTING = /^Reconnecting\.\.\. (\d+)\/\d+(?: \((.*)\))?$/s;

/** The events of `codex exec --json`. Codex counts tokens over the whole thread, earlier runs included. */
export class CodexReader implements OutputReader {
  readonly #tokensBefore: { readonly input: number; readonly output: number };
  readonly #begun = new Set<string>();
  #lastWords: string | null = null;

  constructor(tokensBefore: { readonly input: number; readonly output: number } = { input: 0, output: 0 }) {
    this.#tokensBefore = tokensBefore;
  }

  line(line: OutputLine): Read {
    const read = readVendorLine(line);
    if (read.kind === 'text') return [read.signal];
    const { event } = read;
    const output: AgentSignal = { kind: 'output', stream: line.stream, text: line.text };
    const signals = this.#read(event);
    if (signals === 'unknown') return [output];
    return (
      signals ?? [
        { kind: 'unexpected', message: `Codex sent ${event.type} in a form that Baton does not know` },
        output,
      ]
    );
  }

  end(): Read {
    return [];
  }

  #read(event: { readonly type: string }): Read | null | 'unknown' {
    switch (event.type) {
      case 'thread.started':
        return parsed('thread.started', event, ({ thread_id: id }) => [
          { kind: 'vendor-session', id, model: null, version: null },
        ]);
      case 'turn.started':
        return [{ kind: 'beat' }];
      case 'item.started':
        return parsed('item', event, (each) => this.#begin(each.item));
      case 'item.updated':
        return [{ kind: 'beat' }];
      case 'item.completed':
        return parsed('item', event, (each) => this.#complete(each.item));
      case 'turn.completed':
        return parsed('turn.completed', event, ({ usage }) => {
          const tokensInput = Math.max(0, usage.input_tokens - this.#tokensBefore.input);
          const tokensOutput = Math.max(0, usage.output_tokens - this.#tokensBefore.output);
          return [
            { kind: 'usage', costUsd: null, tokensInput, tokensOutput, tier: null },
            { kind: 'finished', summary: this.#lastWords },
          ];
        });
      case 'turn.failed':
        return parsed('turn.failed', event, ({ error: { message } }) => failureOf(message));
      case 'error':
        return parsed('error', event, ({ message }) => retryOf(message));
      default:
        return 'unknown';
    }
  }

  #begin(item: Item): Read {
    this.#begun.add(item.id);
    const { name, input } = toolOf(item);
    return name === null ? [{ kind: 'beat' }] : [{ kind: 'tool', state: 'begun', id: item.id, name, input }];
  }

  #complete(item: Item): Read {
    switch (item.type) {
      case 'agent_message':
        this.#lastWords = item.text ?? null;
        return [{ kind: 'words', text: item.text ?? '' }];
      case 'reasoning':
        return [{ kind: 'thought', text: item.text ?? '' }];
      case 'error':
        // Warnings too, such as a model without metadata.
        return [{ kind: 'output', stream: 'stderr', text: item.message ?? '' }];
      default: {
        const { name } = toolOf(item);
        if (name === null) return [{ kind: 'beat' }];
        const begun = this.#begun.delete(item.id) ? [] : this.#begin(item);
        return [...begun, ended(item, name)];
      }
    }
  }
}

/** The tool that an item uses; null for an item that uses none. */
function toolOf({ type, ...item }: Item): { readonly name: string | null; readonly input: string } {
  switch (type) {
    case 'command_execution':
      return { name: 'shell', input: JSON.stringify({ command: item.command ?? '' }) };
    case 'file_change':
      return { name: 'edit', input: JSON.stringify({ changes: item.changes ?? [] }) };
    case 'mcp_tool_call':
      return { name: `${item.server}.${item.tool}`, input: JSON.stringify(item.arguments ?? {}) };
    case 'web_search':
      return { name: 'web_search', input: JSON.stringify({ query: item.query ?? '' }) };
    default:
      return { name: null, input: '' };
  }
}

function ended(item: Item, name: string): AgentSignal {
  const result = item.aggregated_output ?? item.error?.message ?? (item.result ? JSON.stringify(item.result) : '');
  const isSuccess = item.status !== 'failed' && !item.error;
  return { kind: 'tool', state: 'ended', id: item.id, name, result, isSuccess, exitCode: item.exit_code ?? null };
}

/** Codex reports each try as an error; the last one fails the turn. A refused login is not tried again. */
function retryOf(message: string): Read {
  const [, attempt, reason = message] = RECONNECTING.exec(message) ?? [];
  // The end of the turn repeats any other error.
  if (attempt === undefined) return [{ kind: 'output', stream: 'stderr', text: message }];
  const status = statusIn(reason);
  if (status === 401 || status === 403) return [modelFailure({ status, message: reason }, CODEX_LOGIN)];
  return [{ kind: 'retrying', attempt: Number(attempt), status, message: reason }];
}

const USAGE_LIMIT = /usage limit/i;
const BUSY = /high demand|overloaded|server error/i;

function failureOf(message: string): Read {
  const failure = modelFailure(
    { status: statusIn(message) ?? (BUSY.test(message) ? 503 : null), message },
    CODEX_LOGIN,
  );
  if (!USAGE_LIMIT.test(message)) return [failure];
  return [
    { kind: 'quota', message, resetsAt: null },
    { ...failure, code: 'E_MODEL_UNAVAILABLE' },
  ];
}

function parsed<Name extends keyof typeof EVENTS>(
  name: Name,
  event: unknown,
  read: (event: z.infer<(typeof EVENTS)[Name]>) => Read,
): Read | null {
  const result = EVENTS[name].safeParse(event);
  return result.success ? read(result.data as z.infer<(typeof EVENTS)[Name]>) : null;
}
