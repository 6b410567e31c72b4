/** What a flag takes: nothing, one value, or a value each time it is given. */
export interface FlagSpec {
  readonly takes: 'nothing' | 'value' | 'values';
  /** What the value is, as help shows it: FILE, SECONDS. */
  readonly shows?: string;
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
}

/** Values to print, one after the other as they come, and the exit code once they are all out. */
export interface Answer<Value> {
  readonly values: Iterable<Value> | AsyncIterable<Value>;
  /** The same value for a person; a refusal is told on stderr, and the values after it still come. */
  human(value: Value): string | Refusal;
  /** One last line for a person, on stderr; null where there is nothing to sum up. */
  summary?(): string | null;
  exitCode(): number;
}

export interface Command {
  readonly usage: string;
  readonly about: string;
  readonly examples: readonly string[];
  readonly flags: Readonly<Record<string, FlagSpec>>;
  run(call: Call): Promise<Answer<unknown>>;
}

/** The caller asked for something that does not exist or lacks a part: exit 2, nothing was done. */
export class UsageError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

export function flagText(call: Call, name: string): string | undefined {
  const value = call.flags[name];
  return typeof value === 'string' ? value : undefined;
}
