import * as z from 'zod';
import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import { CREDIT } from '../../../domain/agent/quota.ts';
import type { OutputReader } from '../../agent-driver.ts';
import type { OutputLine } from '../../sandbox/sandbox.ts';
import { VENDORS } from '../../vendors.ts';
import { errorWords, modelEnd, modelFailure, statusIn } from '../vendor/model-failure.ts';
import { OpenCalls } from '../vendor/open-calls.ts';
import { resetIn } from '../vendor/reset-text.ts';
import { unexpectedForm } from '../vendor/unexpected-form.ts';
import { readVendorLine } from '../vendor/vendor-line.ts';
import { CODEX_USAGE, type TokensBefore, usageSignal } from './codex-usage.ts';

type Signals = readonly AgentSignal[];

const CODEX_LOGIN = VENDORS.codex.login;

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
  'turn.completed': z.object({ usage: CODEX_USAGE }),
  'turn.failed': z.object({ error: z.object({ message: z.string() }) }),
  error: z.object({ message: z.string() }),
} as const;

const RECONNECTING = /^Reconnecting\.\.\. (?:(\d+)\/\d+|waiting for network)(?: \((.*)\))?$/s;

/** The facts about a run that Codex does not report itself. */
export interface CodexProgram {
  readonly version?: string | null;
  readonly model?: string | null;
}

/** The events of `codex exec --json`. */
export class CodexReader implements OutputReader {
  readonly #tokensBefore: TokensBefore;
  readonly #program: CodexProgram;
  readonly #begun = new OpenCalls();
  #lastWords: string | null = null;

  constructor(tokensBefore = { input: 0, output: 0 }, program: CodexProgram = {}) {
    this.#tokensBefore = tokensBefore;
    this.#program = program;
  }

  line(line: OutputLine): Signals {
    const read = readVendorLine(line);
    if (read.kind === 'text') return [read.signal];
    const { event } = read;
    const output: AgentSignal = { kind: 'output', stream: line.stream, text: line.text };
    const signals = this.#read(event);
    if (signals === 'unknown') return [output];
    return signals ?? [unexpectedForm('Codex', this.#program.version ?? null, event.type), output];
  }

  end(): Signals {
    return [];
  }

  #read(event: { readonly type: string }): Signals | null | 'unknown' {
    switch (event.type) {
      case 'thread.started':
        return parsed('thread.started', event, ({ thread_id: id }) => [
          { kind: 'vendor-session', id, model: this.#program.model ?? null, version: null },
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
        return parsed('turn.completed', event, ({ usage }) => [
          usageSignal(usage, this.#tokensBefore),
          { kind: 'finished', summary: this.#lastWords },
        ]);
      case 'turn.failed':
        return parsed('turn.failed', event, ({ error: { message } }) => failureOfRefusal(message));
      case 'error':
        return parsed('error', event, ({ message }) => retryOf(message));
      default:
        return 'unknown';
    }
  }

  #begin(item: Item): Signals {
    const { name, input } = toolOf(item);
    this.#begun.begin(item.id, name ?? '');
    return name === null ? [{ kind: 'beat' }] : [{ kind: 'tool', state: 'begun', id: item.id, name, input }];
  }

  #complete(item: Item): Signals {
    switch (item.type) {
      case 'agent_message':
        this.#lastWords = item.text || null;
        return item.text ? [{ kind: 'words', text: item.text }] : [{ kind: 'beat' }];
      case 'reasoning':
        return [{ kind: 'thought', text: item.text ?? '' }];
      case 'error':
        // Warnings too, such as a model without metadata.
        return [{ kind: 'output', stream: 'stderr', text: item.message ?? '' }];
      default: {
        const { name } = toolOf(item);
        if (name === null) return [{ kind: 'beat' }];
        const begun = this.#begun.end(item.id) !== undefined ? [] : this.#begin(item);
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
function retryOf(message: string): Signals {
  const read = RECONNECTING.exec(message);
  // The end of the turn repeats any other error.
  if (read === null) return [{ kind: 'output', stream: 'stderr', text: errorWords(message) }];
  const [, attempt = '1', reason = message] = read;
  const status = statusIn(reason);
  if (status === 401 || status === 403) return [modelFailure({ status, message: reason }, CODEX_LOGIN)];
  return [{ kind: 'retrying', attempt: Number(attempt), status, message: reason }];
}

const USAGE_LIMIT = /\b(?:hit your usage limit|usage limit has been reached)\b/i;
const NO_CREDIT = /^Quota exceeded\b|\bcheck your plan and billing\b/i;

function failureOfRefusal(message: string): Signals {
  const error = { status: statusIn(message), message };
  const isCredit = NO_CREDIT.test(message);
  if (!isCredit && !USAGE_LIMIT.test(message)) return modelEnd(error, CODEX_LOGIN);
  return [
    { kind: 'quota', message, resets: resetIn(message), scope: isCredit ? CREDIT : null },
    { ...modelFailure(error, CODEX_LOGIN), code: 'model-unavailable' },
  ];
}

function parsed<Name extends keyof typeof EVENTS>(
  name: Name,
  event: unknown,
  read: (event: z.infer<(typeof EVENTS)[Name]>) => Signals,
): Signals | null {
  const result = EVENTS[name].safeParse(event);
  return result.success ? read(result.data as z.infer<(typeof EVENTS)[Name]>) : null;
}
