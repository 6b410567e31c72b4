import { NDJSON_LINE_BYTES_MAX } from '../domain/federation/message-limits.ts';
import { aofKindOfFile } from './aof/file-kinds.ts';
import type { DecodeHints, ProtocolName, Verdict } from './codec.ts';
import { AOF_PREFIX, detectProtocol } from './detect.ts';
import type { Issue } from './issue.ts';
import { outlineJson } from './json-outline.ts';
import { readJson, startsLikeJson } from './json-text.ts';
import { malformed } from './judge-value.ts';
import { loadCodec } from './registry.ts';
import { isLargerThan } from './text-size.ts';

export interface ReadHints extends DecodeHints {
  /** The protocol to decode as; without it the first match counts (common:verdicts). */
  readonly as?: ProtocolName;
}

export interface ReadMessage {
  readonly protocol: ProtocolName | null;
  readonly verdict: Verdict<unknown>;
}

/** Codes for a text that is not JSON, and for one over the line limit (common:codes, common:limits). */
const TEXT_CODES: Record<ProtocolName, { readonly notJson: string; readonly tooLarge: string }> = {
  aop: { notJson: 'E_PARSE_FAILURE', tooLarge: 'E_CONTEXT_OVERFLOW' },
  afp: { notJson: 'INVALID_REQUEST', tooLarge: 'INVALID_REQUEST' },
  aof: { notJson: 'invalid_json', tooLarge: 'payload_too_large' },
  saop: { notJson: 'invalid_json', tooLarge: 'payload_too_large' },
  runtime: { notJson: 'invalid_json', tooLarge: 'payload_too_large' },
};

/** Detects the protocol of a text and decodes it. */
export async function readMessage(text: string, hints: ReadHints = {}): Promise<ReadMessage> {
  if (isLargerThan(text, NDJSON_LINE_BYTES_MAX)) return tooLarge(hints.as ?? protocolByPrefix(text));
  const protocol = hints.as ?? protocolOf(text, hints);
  if (protocol !== null && protocol !== 'not-json') {
    const codec = await loadCodec(protocol);
    return settle(protocol, codec.decode(text, hints), hints);
  }
  if (protocol === 'not-json') return notReadable(null, readJsonIssue(text));
  return { protocol: null, verdict: { verdict: 'foreign', warnings: [] } };
}

/** The verdict on bytes that are not UTF-8. */
export function notText(as: ProtocolName | null): ReadMessage {
  return notReadable(as, { path: [], kind: 'unreadable', what: 'text', detail: 'it is not valid UTF-8' });
}

/** A foreign text has no protocol, unless the caller named one. */
function settle(protocol: ProtocolName, verdict: Verdict<unknown>, hints: ReadHints): ReadMessage {
  return { protocol: verdict.verdict === 'foreign' ? (hints.as ?? null) : protocol, verdict };
}

function protocolOf(text: string, hints: ReadHints): ProtocolName | 'not-json' | null {
  if (hints.kind !== undefined || text.startsWith(AOF_PREFIX)) return 'aof';
  const byFileName = hints.fileName !== undefined && aofKindOfFile(hints.fileName) !== null;
  if (!startsLikeJson(text)) return byFileName ? 'aof' : 'aop';
  const outline = outlineJson(text);
  if (outline === null) return byFileName ? 'aof' : 'not-json';
  const detected = detectProtocol(outline.top);
  // AOF run files have no marker, and an event line has one of Runtime's: the file name decides.
  if (byFileName && detected !== 'aop') return 'aof';
  if (detected === null && isOldAop(outline.top)) return 'aop';
  return detected;
}

/** An unsupported `aop_version`: foreign, and the AOP codec explains why. */
function isOldAop(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'aop_version');
}

function protocolByPrefix(text: string): ProtocolName | null {
  return text.startsWith(AOF_PREFIX) ? 'aof' : null;
}

function tooLarge(protocol: ProtocolName | null): ReadMessage {
  const issue: Issue = { path: [], kind: 'over-limit', what: 'size', max: NDJSON_LINE_BYTES_MAX, unit: 'bytes' };
  const code = protocol === null ? 'payload_too_large' : TEXT_CODES[protocol].tooLarge;
  return { protocol, verdict: malformed({ kind: null, code }, [issue]) };
}

function notReadable(protocol: ProtocolName | null, issue: Issue): ReadMessage {
  const code = protocol === null ? 'invalid_json' : TEXT_CODES[protocol].notJson;
  return { protocol, verdict: malformed({ kind: null, code }, [issue]) };
}

function readJsonIssue(text: string): Issue {
  const reading = readJson(text);
  return reading.kind === 'broken' ? reading.issue : { path: [], kind: 'note', text: 'is not readable' };
}
