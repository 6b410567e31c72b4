import { nearWord } from '../domain/near-word.ts';
import { type Call, type FlagSpec, UsageError } from './command.ts';

/** Flags every command knows; they may stand anywhere. */
export const GLOBAL_FLAGS: Readonly<Record<string, FlagSpec>> = {
  json: { takes: 'nothing', help: 'one JSON value a line on stdout, and nothing else there' },
  data: {
    takes: 'value',
    shows: 'FOLDER',
    help: 'the data folder; else BATON_DATA, else .baton at the git root or here',
  },
  key: { takes: 'value', shows: 'KEY', help: 'sent again with the same key, a change is made once' },
  help: { takes: 'nothing', short: 'h', help: 'what the command does, with an example' },
  'no-color': { takes: 'nothing', help: 'plain text (also: NO_COLOR)' },
};

// Asked for by name: an import of node:util builds a facade of all it exports, 4 ms of every short command.
const { parseArgs } = process.getBuiltinModule('node:util');

/** The first word is the command; flags that every command knows may stand before it. */
export function splitCommand(argv: readonly string[]): {
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
  const options = Object.fromEntries(
    Object.entries({ ...GLOBAL_FLAGS, ...flags }).map(([flag, spec]) => [flag, optionOf(spec)]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
    return { words: positionals, flags: values as Call['flags'] };
  } catch (error) {
    // Thrown for a flag that is unknown, lacks its value or takes none; only the first sentence is for people.
    const message = error instanceof Error ? (error.message.split(/\.\s/)[0] ?? error.message) : String(error);
    const hint = flagHint(error as NodeJS.ErrnoException, Object.keys(options)) ?? `baton ${name} --help`;
    throw new UsageError(`${name}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`, hint);
  }
}

/** What was most likely meant; null where the help of the command is all there is to say. */
function flagHint({ code, message }: NodeJS.ErrnoException, flags: readonly string[]): string | null {
  const [, flag = ''] = /'--([^' ]+)/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const near = nearWord(flag, flags);
    return near === null ? null : `did you mean --${near}?`;
  }
  return /is ambiguous/.test(message) ? `--${flag}=VALUE, where the value begins with a dash` : null;
}

function optionOf(spec: FlagSpec) {
  return {
    type: spec.takes === 'nothing' ? ('boolean' as const) : ('string' as const),
    multiple: spec.takes === 'values',
    ...(spec.short !== undefined && { short: spec.short }),
  };
}
