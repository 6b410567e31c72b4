import type * as z from 'zod';

export const PROTOCOL_NAMES = ['aop', 'afp', 'aof', 'saop', 'runtime'] as const;
export type ProtocolName = (typeof PROTOCOL_NAMES)[number];

export interface Problem {
  /** RFC 6901 JSON Pointer into the message. */
  readonly path: string;
  readonly message: string;
}

export interface Warning extends Problem {
  readonly code: string;
}

export interface Accepted<Message> {
  readonly verdict: 'accepted';
  readonly kind: string;
  readonly message: Message;
  readonly warnings: readonly Warning[];
}

/** A message of another protocol or of none: never an error of this one. */
export interface Foreign {
  readonly verdict: 'foreign';
  readonly warnings: readonly Warning[];
}

/** A message of this protocol that breaks its rules. No part of it may be acted on. */
export interface Malformed {
  readonly verdict: 'malformed';
  readonly kind: string | null;
  readonly code: string;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Warning[];
}

export type Verdict<Message> = Accepted<Message> | Foreign | Malformed;

/** Facts about a text that the text itself does not contain. */
export interface DecodeHints {
  /** The kind to decode as, where the text has no marker (common:kinds). */
  readonly kind?: string;
  /** The name of the file it came from, which distinguishes the AOF run files. */
  readonly fileName?: string;
  /** SAOP §3: JSON Schemas of event payloads beside those of the document, by their type. */
  readonly eventTypes?: Readonly<Record<string, unknown>>;
}

/**
 * Decodes and encodes one protocol. Callers may rely on this: nothing throws, whatever the text; the three verdicts
 * keep a fallback chain from swallowing an error; an accepted message is complete; `decode(encode(m))` gives `m`.
 */
export interface Codec<Message> {
  readonly protocol: ProtocolName;
  /** The kinds in verdicts and schema names (common:kinds), in the order of the document. */
  readonly kinds: readonly string[];
  decode(text: string, hints?: DecodeHints): Verdict<Message>;
  /** For a value that json-text.ts read or Baton built: the verdicts of `decode`, without text limits. */
  decodeValue(value: unknown, hints?: DecodeHints): Verdict<Message>;
  /** Writes the names, casing and order of the document's examples (common:output). */
  encode(message: Message): string;
  /** The schema of one kind, without rules across fields. Undefined where the kind has no JSON form. */
  schemaOf(kind: string): z.ZodType | undefined;
  /** Whether unknown fields make a message malformed; the published JSON Schema agrees. */
  readonly unknownFields: 'refused' | 'refused-unless-x' | 'kept';
}
