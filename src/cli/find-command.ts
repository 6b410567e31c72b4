import { type LoadedCommand, UsageError } from './command.ts';
import type { CommandFamily } from './command-entry.ts';
import { COMMANDS } from './command-list.ts';
import { splitCommand } from './parse-call.ts';

/** What the words of a call lead to, the rest of them, and how it is called. */
export type FoundCommand =
  | { readonly kind: 'command'; readonly name: string; readonly entry: LoadedCommand; readonly rest: readonly string[] }
  | { readonly kind: 'family'; readonly name: string; readonly entry: CommandFamily; readonly rest: readonly string[] };

export function findCommand(name: string, rest: readonly string[]): FoundCommand {
  const entry = pick(COMMANDS, name, '');
  if (!('verbs' in entry)) return { kind: 'command', name, entry, rest };
  const second = splitCommand(rest);
  if (second.name === null) return { kind: 'family', name, entry, rest };
  const verb = pick(entry.verbs, second.name, `${name} `);
  return { kind: 'command', name: `${name} ${verb.name}`, entry: verb, rest: second.rest };
}

function pick<Entry extends { readonly name: string }>(entries: readonly Entry[], name: string, before: string): Entry {
  const entry = entries.find((each) => each.name === name);
  if (entry) return entry;
  const near = entries.find((each) => mistakes(each.name, name) <= MISTAKES_MAX);
  const called = JSON.stringify(`${before}${name}`);
  throw new UsageError(`no command ${called}`, `baton ${before}${near ? `${near.name} ` : ''}--help`);
}

const MISTAKES_MAX = 2;

/** How many letters were left out, added or changed (Levenshtein); of short words two are another word. */
function mistakes(word: string, typed: string): number {
  let row = Array.from({ length: typed.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...word].entries()) {
    const next = [at + 1];
    for (let to = 1; to <= typed.length; to++) {
      const changed = (row[to - 1] ?? 0) + (typed[to - 1] === letter ? 0 : 1);
      next.push(Math.min(changed, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  const count = row.at(-1) ?? 0;
  return word.length <= 3 && count > 1 ? MISTAKES_MAX + 1 : count;
}
