import type { Look } from './output/look.ts';

/** What a flag takes: nothing, one value, or a value each time it is given. */
export interface FlagSpec {
  readonly takes: 'nothing' | 'value' | 'values';
  /** What the value is, as help shows it: FILE, SECONDS. */
  readonly shows?: string;
  /** One letter for it: d is -d. */
  readonly short?: string;
  readonly help: string;
}

export interface Call {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** Something that was asked for and not done, and what to do instead. */
export interface Refusal {
  readonly message: string;
  readonly hint: string;
  /** JSON Pointer to what is wrong. */
  readonly path?: string;
  /** What the message speaks of, one a line. */
  readonly details?: readonly string[];
  /** What else is wrong, each at its own place. */
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
}

/** Values to print, one after the other as they come, and the exit code once they are all out. */
export interface Answer<Value> {
  readonly values: Iterable<Value> | AsyncIterable<Value>;
  /** The same value for a person, null where it tells them nothing; a refusal is told on stderr, and the rest still comes. */
  human(value: Value, look: Look): string | Refusal | null;
  /** One last line for a person, on stderr; null where there is nothing to sum up. */
  summary?(): string | null;
  exitCode(): number;
  /** Something is done while it tells: it goes on to its end, whether anybody reads it or not. */
  readonly isWork?: boolean;
  /** Once everything is printed, whatever happened: lets go of what was held; what it warns of goes to stderr. */
  finish?(): Promise<string | null>;
}

/** What help tells of a command. */
export interface CommandText {
  readonly usage: string;
  readonly about: string;
  readonly examples: readonly string[];
  readonly flags: Readonly<Record<string, FlagSpec>>;
}

export interface Command extends CommandText {
  run(call: Call): Promise<Answer<unknown>>;
}

export interface Listed {
  readonly name: string;
  readonly summary: string;
}

/** A command, with its code behind an import of its own: a command loads only what it needs. */
export interface LoadedCommand extends Listed {
  load(): Promise<Command>;
}

/** The caller asked for something that does not exist or lacks a part: exit 2, nothing was done. */
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

/** Commands that belong together, called by a second word. */
export interface CommandFamily extends Listed {
  readonly about: string;
  readonly examples: readonly string[];
  readonly verbs: readonly LoadedCommand[];
}

export type CommandEntry = (LoadedCommand | CommandFamily) & {
  readonly group: 'Work' | 'Review' | 'Agents' | 'Node' | 'Protocols';
};
