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

/** Speaks another protocol or none: never an error of this one. */
export interface Foreign {
  readonly verdict: 'foreign';
  readonly warnings: readonly Warning[];
}

/** Speaks this protocol, wrongly. Nothing of it may be acted on. */
export interface Malformed {
  readonly verdict: 'malformed';
  readonly kind: string | null;
  readonly code: string;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Warning[];
}

export type Verdict<Message> = Accepted<Message> | Foreign | Malformed;

/** What is known of a text besides the text. */
export interface DecodeHints {
  /** The kind to read it as, where the text itself has no marker (common:kinds). */
  readonly kind?: string;
  /** The name of the file it was read from, which tells the AOF run artifacts apart. */
  readonly fileName?: string;
}

/**
 * One protocol, both ways. A caller may rely on this: nothing throws, whatever the text; three answers, so that a
 * fallback chain cannot swallow an error; a message that was accepted is whole; `decode(encode(m))` gives `m`.
 */
export interface Codec<Message> {
  readonly protocol: ProtocolName;
  /** The kinds in verdicts and schema names (common:kinds), in the order of the document. */
  readonly kinds: readonly string[];
  decode(text: string, hints?: DecodeHints): Verdict<Message>;
  /** For a value that was already read by json-text.ts or built by Baton: same answers as `decode`, but for text limits. */
  decodeValue(value: unknown, hints?: DecodeHints): Verdict<Message>;
  /** The text as the document shows it: names, casing and order of its examples (common:output). */
  encode(message: Message): string;
  /** The shape of one kind; rules across fields are not part of it. Undefined where the kind has no JSON form. */
  schemaOf(kind: string): z.ZodType | undefined;
  /** Whether unknown fields make a message malformed; the published JSON Schema says the same. */
  readonly unknownFields: 'refused' | 'refused-unless-x' | 'kept';
}
