import { nearWord } from '../domain/words/near-word.ts';
import { type CommandFamily, type LoadedCommand, UsageError } from './command.ts';
import { COMMANDS } from './command-list.ts';
import { splitArguments } from './parse-call.ts';

/** The command or family that a call names, its full name, and the remaining words. */
export type FoundCommand =
  | { readonly kind: 'command'; readonly name: string; readonly entry: LoadedCommand; readonly rest: readonly string[] }
  | { readonly kind: 'family'; readonly name: string; readonly entry: CommandFamily; readonly rest: readonly string[] };

export function findCommand(name: string, rest: readonly string[]): FoundCommand {
  const entry = pick(COMMANDS, name, '');
  if (!('verbs' in entry)) return { kind: 'command', name, entry, rest };
  const second = splitArguments(rest);
  if (second.name === null) return { kind: 'family', name, entry, rest };
  if (entry.otherwise && !entry.verbs.some((each) => each.name === second.name))
    return { kind: 'command', name, entry: entry.otherwise.verb, rest };
  const verb = pick(entry.verbs, second.name, `${name} `);
  return { kind: 'command', name: `${name} ${verb.name}`, entry: verb, rest: second.rest };
}

function pick<Entry extends { readonly name: string }>(entries: readonly Entry[], name: string, before: string): Entry {
  const entry = entries.find((each) => each.name === name);
  if (entry) return entry;
  const near = nearWord(
    name,
    entries.map((each) => each.name),
  );
  const called = JSON.stringify(`${before}${name}`);
  throw new UsageError(`no command ${called}`, `baton ${before}${near === null ? '' : `${near} `}--help`);
}
