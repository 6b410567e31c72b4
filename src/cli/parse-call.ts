import { nearWord } from '../domain/words/near-word.ts';
import { type Call, type CommandText, type FlagSpec, UsageError } from './command.ts';

/** Flags of every command; they may be given anywhere. */
export const GLOBAL_FLAGS: Readonly<Record<string, FlagSpec>> = {
  json: { takes: 'nothing', help: 'print JSON, one value a line, and nothing else on stdout' },
  data: {
    takes: 'value',
    shows: 'FOLDER',
    help: 'data folder (default: BATON_DATA, else .baton at the git root or here)',
  },
  key: { takes: 'value', shows: 'KEY', help: 'idempotency key: calls with the same key take effect once' },
  help: { takes: 'nothing', short: 'h', help: 'show this help' },
  'no-color': { takes: 'nothing', help: 'no colours (also: NO_COLOR)' },
};

/** The flags that help and completion show: its own, then the global ones that have an effect. */
export function shownFlags({ flags, ignores = [] }: Pick<CommandText, 'flags' | 'ignores'>): CommandText['flags'] {
  const ignored: readonly string[] = ignores;
  const globals = Object.entries(GLOBAL_FLAGS).filter(([name]) => !ignored.includes(name));
  return { ...flags, ...Object.fromEntries(globals) };
}

// Not imported: importing node:util costs every short command 4 ms.
const { parseArgs } = process.getBuiltinModule('node:util');

/** The first word is the command; global flags may come before it. */
export function splitArguments(argv: readonly string[]): {
  readonly name: string | null;
  readonly rest: readonly string[];
} {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-') || word === '-') return { name: word, rest: argv.toSpliced(at, 1) };
    const flag = GLOBAL_FLAGS[word.replace(/^--/, '').split('=')[0] ?? ''];
    if (flag && flag.takes !== 'nothing' && !word.includes('=')) at++;
  }
  return { name: null, rest: argv };
}

export function parseCall(argv: readonly string[], flags: Readonly<Record<string, FlagSpec>>, name: string): Call {
  const specs = { ...GLOBAL_FLAGS, ...flags };
  const options = Object.fromEntries(Object.entries(specs).map(([flag, spec]) => [flag, optionOf(spec)]));
  // Not strict: a mistake is found here by its token, because the errors of parseArgs have nothing but sentences.
  const parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of parsed.tokens) {
    const mistake = token.kind === 'option' ? mistakeIn(token, specs) : null;
    if (mistake) throw new UsageError(`${name}: ${mistake.message}`, mistake.hint ?? `baton ${name} --help`);
  }
  return { words: parsed.positionals, flags: parsed.values as Call['flags'] };
}

interface FlagToken {
  readonly name: string;
  /** With its dashes. */
  readonly rawName: string;
  readonly value: string | undefined;
  /** Written as --flag=value. */
  readonly inlineValue: boolean | undefined;
}

interface Mistake {
  readonly message: string;
  /** Null where the help of the command is the best hint. */
  readonly hint: string | null;
}

function mistakeIn(token: FlagToken, specs: Readonly<Record<string, FlagSpec>>): Mistake | null {
  const { name, rawName, value, inlineValue } = token;
  const takes = Object.hasOwn(specs, name) ? specs[name]?.takes : undefined;
  if (takes === undefined) {
    const near = nearWord(name, Object.keys(specs));
    return { message: `unknown option '${rawName}'`, hint: near === null ? null : `did you mean --${near}?` };
  }
  if (takes === 'nothing')
    return value === undefined ? null : { message: `option '${rawName}' takes no value`, hint: null };
  if (value === undefined) return { message: `option '${rawName}' needs a value`, hint: null };
  if (inlineValue || value.length < 2 || !value.startsWith('-')) return null;
  // No flag is a number: the command says which numbers it takes.
  if (/^-\d+(\.\d+)?$/.test(value)) return null;
  return { message: `the value of '${rawName}' begins with a dash`, hint: `--${name}=${value}` };
}

function optionOf(spec: FlagSpec) {
  return {
    type: spec.takes === 'nothing' ? ('boolean' as const) : ('string' as const),
    multiple: spec.takes === 'values',
    ...(spec.short !== undefined && { short: spec.short }),
  };
}
