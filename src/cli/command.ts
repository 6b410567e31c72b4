import type { Style } from './output/style.ts';

/** A flag that takes nothing, one value, or one value each time it is given. */
export interface FlagSpec {
  readonly takes: 'nothing' | 'value' | 'values';
  /** Name of the value in help: FILE, SECONDS. */
  readonly shows?: string;
  /** One-letter form: d for -d. */
  readonly short?: string;
  readonly help: string;
}

export interface Call {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** A request that was refused, and what to do instead. */
export interface PrintedRefusal {
  readonly message: string;
  readonly hint: string;
  /** JSON Pointer to the field at fault. */
  readonly path?: string;
  /** A list that belongs to the message, one item a line. */
  readonly details?: readonly string[];
  /** Further problems, each with its own path. */
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
}

/** Values to print as they arrive, and the exit code after the last one. */
export interface Answer<Value> {
  readonly values: Iterable<Value> | AsyncIterable<Value>;
  /** The value as text for people, or null to skip it. A refusal goes to stderr, and the next values follow. */
  human(value: Value, style: Style): string | PrintedRefusal | null;
  /** A last line for people on stderr, or null. */
  summary?(): string | null;
  exitCode(): number;
  /** The values report work in progress: it continues even if stdout is closed. */
  readonly isWork?: boolean;
  /** Called after printing, also after an error: releases resources. Resolves with a warning for stderr, or null. */
  finish?(): Promise<string | null>;
}

/** The help text of a command. */
export interface CommandText {
  readonly usage: string;
  /** Each line is a paragraph. */
  readonly about: string;
  /** Words that the command prints, with their meanings. */
  readonly terms?: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
  readonly flags: Readonly<Record<string, FlagSpec>>;
  /** Global flags without effect on this command: accepted, but in neither help nor completion. */
  readonly ignores?: readonly ('data' | 'key')[];
}

export interface CliCommand extends CommandText {
  run(call: Call): Promise<Answer<unknown>>;
}

export interface CommandSummary {
  readonly name: string;
  readonly summary: string;
}

/** A command whose code is imported on demand. */
export interface LoadedCommand extends CommandSummary {
  load(): Promise<CliCommand>;
}

/** The call is wrong or incomplete: exit 2, nothing was done. */
export class UsageError extends Error {
  readonly hint: string;
  readonly code: string;

  constructor(message: string, hint: string, code = 'usage') {
    super(message);
    this.hint = hint;
    this.code = code;
  }
}

export function flagText(call: Call, name: string): string | undefined {
  const value = call.flags[name];
  return typeof value === 'string' ? value : undefined;
}

export function flagTexts(call: Call, name: string): readonly string[] | undefined {
  const value = call.flags[name];
  return Array.isArray(value) ? value : undefined;
}

/** Commands that share a first word, such as `baton task …`. */
export interface CommandFamily extends CommandSummary {
  readonly about: string;
  readonly examples: readonly string[];
  readonly verbs: readonly LoadedCommand[];
  /** The verb that is meant where the second word is none of them, and how that call looks. */
  readonly otherwise?: { readonly verb: LoadedCommand; readonly usage: string };
}

export type CommandEntry = (LoadedCommand | CommandFamily) & {
  readonly group: 'Work' | 'Review' | 'Agents' | 'Node' | 'Protocols';
};
