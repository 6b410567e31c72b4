import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import { NDJSON_LINE_BYTES_MAX } from '../../../domain/federation/message-limits.ts';
import { PROCESS_LINE_BYTES_MAX } from '../../../domain/process-limits.ts';
import { isJsonObject, type JsonObject } from '../../../domain/words/json-object.ts';
import { decodeAfp, decodeAfpValue } from '../../../protocols/afp/decode.ts';
import { jsonCandidates } from '../../../protocols/afp/response-text.ts';
import type { AfpStepFinish, AfpText } from '../../../protocols/afp/schema.ts';
import { readJson } from '../../../protocols/json-text.ts';
import type { OutputReader } from '../../agent-driver.ts';
import type { OutputLine } from '../../sandbox/sandbox.ts';
import { JsonBlock } from './json-block.ts';

type Signals = readonly AgentSignal[];

const MIB = 1_048_576;

/**
 * Reads the answer of a program to a request for feedback: a Response Object on stdout, on one line or over several, or the
 * wrapper stream of an AFP tool layer. JSON becomes words, to be judged by whoever asked; every other line is output.
 */
export class FeedbackReader implements OutputReader {
  /** The session that the program was told to continue. */
  readonly #resume: string | null;
  #block: JsonBlock | null = null;
  #session: string | null = null;
  #hasSpoken = false;
  /** A Response Object was among its words. */
  #hasAnswered = false;
  /** The first error line of a tool layer, or the line that was too long to be read. */
  #error: string | null = null;
  #spend = { costUsd: 0, tokensInput: 0, tokensOutput: 0 };

  constructor(resume: string | null) {
    this.#resume = resume;
  }

  line({ stream, text, isTruncated }: OutputLine): Signals {
    const output: AgentSignal = { kind: 'output', stream, text };
    if (stream === 'stdout' && isTruncated) this.#error ??= `a line is longer than ${PROCESS_LINE_BYTES_MAX / MIB} MiB`;
    if (stream === 'stderr' || isTruncated) return [...this.#giveUp(), output];
    if (this.#block === null && !JsonBlock.mayBegin(text)) return [output];
    this.#block ??= new JsonBlock(NDJSON_LINE_BYTES_MAX);
    const state = this.#block.take(text);
    if (state === 'open') return [{ kind: 'beat' }];
    if (state === 'broken') return this.#giveUp();
    const read = this.#read(this.#block.text);
    this.#block = null;
    return read;
  }

  end(): Signals {
    const rest = this.#giveUp();
    if (this.#hasSpoken || this.#error === null) return rest;
    return [...rest, { kind: 'failure', code: 'process-crashed', message: this.#error }];
  }

  /** Text that began like JSON and is none: whoever asked is told where it breaks. */
  #giveUp(): Signals {
    const text = this.#block?.text ?? '';
    this.#block = null;
    return text === '' ? [] : this.#words(text);
  }

  #read(text: string): Signals {
    const { value } = readJson(text);
    if (!isJsonObject(value) || typeof value.type !== 'string' || !('sessionID' in value)) {
      const words = this.#words(text);
      return this.#hasAnswered ? [...words, { kind: 'finished' }] : words;
    }
    const mismatch = this.#refuseSession(value.sessionID);
    if (mismatch !== null) return [mismatch];
    if (value.type === 'error') this.#error ??= errorText(value);
    const verdict = decodeAfpValue(value, { kind: value.type });
    const opened = this.#open(value.sessionID);
    if (verdict.verdict !== 'accepted') return [...opened, { kind: 'output', stream: 'stdout', text }];
    if (verdict.kind === 'text') return [...opened, ...this.#words((verdict.message as AfpText).part.text)];
    return verdict.kind === 'step_finish' ? [...opened, ...this.#finish(verdict.message as AfpStepFinish)] : opened;
  }

  #words(text: string): Signals {
    this.#hasSpoken = true;
    this.#hasAnswered ||= jsonCandidates(text).some((each) => isResponse(each));
    return [{ kind: 'words', text }];
  }

  /** AFP §2.2.1: the stream ends with this line, unless tools were called or there is no answer yet. */
  #finish(step: AfpStepFinish): Signals {
    const isEnd = this.#hasAnswered && step.part.reason !== 'tool-calls';
    return [this.#usage(step), ...(isEnd ? [{ kind: 'finished' } as const] : [])];
  }

  /** AFP §2.1: the session that the requester named is the one that answers. */
  #refuseSession(session: unknown): AgentSignal | null {
    if (this.#resume === null || session === this.#resume) return null;
    const message = `it answered for session ${JSON.stringify(session)}, and was asked in ${this.#resume}`;
    return { kind: 'failure', code: 'malformed-answer', message };
  }

  #open(session: unknown): Signals {
    if (typeof session !== 'string' || session === this.#session) return [];
    this.#session = session;
    return [{ kind: 'vendor-session', id: session, model: null, version: null }];
  }

  /** Figures of each step add up; the driver reports totals. */
  #usage({ part }: AfpStepFinish): AgentSignal {
    const tokens = isJsonObject(part.tokens) ? part.tokens : {};
    const { costUsd, tokensInput, tokensOutput } = this.#spend;
    this.#spend = {
      costUsd: costUsd + amountOf(part.cost),
      tokensInput: tokensInput + amountOf(tokens.input),
      tokensOutput: tokensOutput + amountOf(tokens.output),
    };
    return { kind: 'usage', ...this.#spend, tier: null };
  }
}

function isResponse(text: string): boolean {
  const verdict = decodeAfp(text, { kind: 'response' });
  return verdict.verdict === 'accepted' && verdict.kind === 'response';
}

function amountOf(value: unknown): number {
  return typeof value === 'number' && value >= 0 ? value : 0;
}

/** An error line has no fixed form: the name and the message are where real tools have them. */
function errorText({ error }: JsonObject): string {
  const { name, message, data } = isJsonObject(error) ? error : ({} as JsonObject);
  const told = isJsonObject(data) && typeof data.message === 'string' ? data.message : message;
  return [name, told].filter((text) => typeof text === 'string' && text !== '').join(': ') || 'it reported an error';
}
