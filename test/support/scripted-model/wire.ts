/** A tool that a program offers to its model. */
export interface OfferedTool {
  readonly name: string;
  /** The kind in the Responses API: `function`, `custom`, `local_shell`. */
  readonly kind: string;
  readonly namespace: string | null;
  readonly schema: ToolSchema;
}

export interface ToolSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown; readonly enum?: readonly unknown[] }>>;
  readonly required?: readonly string[];
}

/** A request for the next words of the model, whichever API it comes by. */
export interface ModelRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly tools: readonly OfferedTool[];
  /** The shape that the words must have as JSON; absent for words. */
  readonly shape?: ToolSchema | undefined;
}

/** The answer of the model to one request. */
export type ModelAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[] };

export interface ToolCall {
  readonly tool: OfferedTool;
  readonly input: Readonly<Record<string, unknown>>;
  /** The arguments as text, where they are no JSON. */
  readonly brokenInput?: string;
}

export function inputText({ input, brokenInput }: ToolCall): string {
  return brokenInput ?? JSON.stringify(input);
}

/** Tokens of one request; `input` includes `cached`. */
export interface ModelTokens {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** One event of a stream: its name, where the API has one, and its data. */
export type StreamEvent = readonly [name: string | null, data: unknown];

export interface Rendered {
  readonly request: ModelRequest;
  readonly answer: ModelAnswer;
  readonly tokens: ModelTokens;
  /** The answer tells them. */
  readonly hasUsage: boolean;
  /** Unique in this server. */
  readonly id: string;
}

/** One API of a vendor, from bytes to a request and from an answer to bytes. */
export interface Wire {
  readonly name: string;
  /** The paths that it answers. */
  readonly path: RegExp;
  read(body: Readonly<Record<string, unknown>>, path: string): ModelRequest;
  events(rendered: Rendered): readonly StreamEvent[];
  whole(rendered: Rendered): unknown;
  /** A sign of life between two events. */
  readonly ping: string;
  failure(status: number, message: string): unknown;
  /** The vendor's own refusal of an account that has used up its quota, and the time until it is served again. */
  outOfQuota(resetsInMs: number): RefusedRequest;
}

/** An answer that is no success. */
export interface RefusedRequest {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A text in the pieces that a stream has. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,16}/g) ?? [''];
}

export type Json = Readonly<Record<string, unknown>>;

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
