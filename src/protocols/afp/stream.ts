import { AFP_STREAM_ERRORS_MAX, NDJSON_LINE_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import { isJsonObject, type JsonObject } from '../../domain/words/json-object.ts';
import type { Malformed } from '../codec.ts';
import { readJson } from '../json-text.ts';
import { isLargerThan } from '../text-size.ts';
import { decodeAfp, decodeAfpValue } from './decode.ts';
import { encodeAfp } from './encode.ts';
import { WRAPPER_TYPES } from './kinds.ts';
import { jsonCandidates } from './response-text.ts';
import type { AfpMessage, AfpResponse, AfpStepFinish, AfpText } from './schema.ts';

/** The state of a stream after the lines so far (afp:stream). Immutable: each line makes a new value. */
export interface AfpStream {
  readonly sessionId: string | null;
  /** The last text that is a Response Object; without one the request did not succeed. */
  readonly response: AfpResponse | null;
  /** The last malformed Response Object, with its errors for the next request. */
  readonly malformedResponse: Malformed | null;
  /** A `step_finish` announced the end; more lines may still arrive. */
  readonly hasEnded: boolean;
  /** The first `error` lines, at most AFP_STREAM_ERRORS_MAX; `errorLines` counts all. */
  readonly errors: readonly JsonObject[];
  readonly errorLines: number;
  /** Lines that are not JSON, too large, or of a type that AFP does not have. */
  readonly skippedLines: number;
  /** Malformed lines of AFP; they are ignored. */
  readonly malformedLines: number;
  /** Sums over the `step_finish` lines. */
  readonly cost: number;
  readonly tokens: AfpTokens;
}

export interface AfpTokens {
  readonly input: number;
  readonly output: number;
}

export const EMPTY_STREAM: AfpStream = {
  sessionId: null,
  response: null,
  malformedResponse: null,
  hasEnded: false,
  errors: [],
  errorLines: 0,
  skippedLines: 0,
  malformedLines: 0,
  cost: 0,
  tokens: { input: 0, output: 0 },
};

/** Reads one more line of the stream. Never throws; ignores empty lines. */
export function readStreamLine(stream: AfpStream, line: string): AfpStream {
  if (isLargerThan(line, NDJSON_LINE_BYTES_MAX)) return skip(stream);
  if (line.trim() === '') return stream;
  const reading = readJson(line);
  if (reading.kind === 'broken' || !isJsonObject(reading.value)) return skip(stream);
  const value = reading.value;
  if (value.type === 'error') return keepError(stream, value);
  if (!(WRAPPER_TYPES as readonly unknown[]).includes(value.type)) return skip(stream);
  const verdict = decodeAfpValue(value, { kind: String(value.type) });
  if (verdict.verdict !== 'accepted') return { ...stream, malformedLines: stream.malformedLines + 1 };
  const known = withSession(stream, value.sessionID);
  if (verdict.kind === 'text') return readText(known, verdict.message as AfpText);
  return verdict.kind === 'step_finish' ? readStepFinish(known, verdict.message as AfpStepFinish) : known;
}

function readText(stream: AfpStream, { part }: AfpText): AfpStream {
  let { response, malformedResponse } = stream;
  for (const candidate of jsonCandidates(part.text)) {
    const verdict = decodeAfp(candidate, { kind: 'response' });
    if (verdict.verdict === 'accepted' && verdict.kind === 'response') response = verdict.message as AfpResponse;
    if (verdict.verdict === 'malformed' && verdict.kind !== 'request') malformedResponse = verdict;
  }
  return { ...stream, response, malformedResponse };
}

/** `tool-calls`: the agent continues when its tools have answered. */
function readStepFinish(stream: AfpStream, { part }: AfpStepFinish): AfpStream {
  const tokens = isJsonObject(part.tokens) ? part.tokens : {};
  return {
    ...stream,
    hasEnded: stream.hasEnded || part.reason !== 'tool-calls',
    cost: stream.cost + amountOf(part.cost),
    tokens: {
      input: stream.tokens.input + amountOf(tokens.input),
      output: stream.tokens.output + amountOf(tokens.output),
    },
  };
}

function keepError(stream: AfpStream, line: JsonObject): AfpStream {
  const isFull = stream.errors.length >= AFP_STREAM_ERRORS_MAX;
  const errors = isFull ? stream.errors : [...stream.errors, line];
  return { ...withSession(stream, line.sessionID), errors, errorLines: stream.errorLines + 1 };
}

function withSession(stream: AfpStream, sessionId: unknown): AfpStream {
  return stream.sessionId === null && typeof sessionId === 'string' ? { ...stream, sessionId } : stream;
}

function skip(stream: AfpStream): AfpStream {
  return { ...stream, skippedLines: stream.skippedLines + 1 };
}

function amountOf(value: unknown): number {
  return typeof value === 'number' && value >= 0 ? value : 0;
}

/** The step that the three lines of an answer belong to; the caller supplies every id and instant. */
export interface AfpStep {
  readonly sessionId: string;
  readonly messageId: string;
  /** The snapshot that the provider reviewed, if there is one. */
  readonly snapshot?: string;
}

export interface AfpLine {
  readonly partId: string;
  readonly timestampMs: number;
}

/** AFP §5.2, the first line, with its line break. */
export function writeStepStart(step: AfpStep, line: AfpLine): string {
  return writeLine({
    type: 'step_start',
    timestamp: line.timestampMs,
    sessionID: step.sessionId,
    part: { ...partOf(step, line), type: 'step-start', ...snapshotOf(step) },
  });
}

/** AFP §5.2, the second line: the Response Object as the text of a part. */
export function writeText(
  step: AfpStep,
  line: AfpLine & { readonly startMs: number; readonly endMs: number },
  response: AfpResponse,
): string {
  return writeLine({
    type: 'text',
    timestamp: line.timestampMs,
    sessionID: step.sessionId,
    part: {
      ...partOf(step, line),
      type: 'text',
      text: encodeAfp(response),
      time: { start: line.startMs, end: line.endMs },
    },
  });
}

/** AFP §5.2, the last line. */
export function writeStepFinish(
  step: AfpStep,
  line: AfpLine & { readonly cost: number; readonly tokens: AfpTokens },
): string {
  const { input, output } = line.tokens;
  return writeLine({
    type: 'step_finish',
    timestamp: line.timestampMs,
    sessionID: step.sessionId,
    part: {
      ...partOf(step, line),
      type: 'step-finish',
      ...snapshotOf(step),
      cost: line.cost,
      tokens: { input, output },
    },
  });
}

function writeLine(message: AfpMessage): string {
  return `${encodeAfp(message)}\n`;
}

function partOf(step: AfpStep, line: AfpLine): JsonObject {
  return { id: line.partId, sessionID: step.sessionId, messageID: step.messageId };
}

function snapshotOf({ snapshot }: AfpStep): JsonObject {
  return snapshot === undefined ? {} : { snapshot };
}
