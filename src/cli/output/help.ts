import type { CommandFamily, CommandText } from '../command.ts';
import { COMMANDS } from '../command-list.ts';
import { shownFlags } from '../parse-call.ts';
import { command as commandLineOf, type Line, line } from './lines.ts';

const NAME_WIDTH = 'agent-client'.length;
const FLAG_WIDTH = 26;
const EMPTY = line('');
const GROUPS = ['Work', 'Review', 'Agents', 'Node', 'Protocols'] as const;

export function overview(version: string): readonly Line[] {
  const lines = [
    line(`baton ${version}: gets AI coding agents of different makers to work together, and proves what they did`),
    EMPTY,
    line('baton COMMAND [ARGUMENTS] [--json] [--help]', 'usage: '),
  ];
  for (const group of GROUPS) {
    const commands = COMMANDS.filter((command) => command.group === group);
    if (commands.length > 0) lines.push(EMPTY, line(group), ...commands.map(commandLine));
  }
  lines.push(EMPTY, line('baton COMMAND --help shows its flags and examples; baton --version prints the version.'));
  return lines;
}

export function commandHelp(command: CommandText): readonly Line[] {
  const flags = Object.entries(shownFlags(command)).map(([name, spec]) => {
    const long = `--${name}${spec.takes === 'nothing' ? '' : ` ${spec.shows ?? 'VALUE'}`}`;
    const head = spec.short === undefined ? long : `-${spec.short}, ${long}`;
    return line(spec.help, `  ${head.padEnd(FLAG_WIDTH)} `);
  });
  const { usage, about, terms = {}, examples } = command;
  const width = Math.max(...Object.keys(terms).map((term) => term.length));
  return [
    line(usage, 'usage: '),
    EMPTY,
    ...paragraphs(about),
    ...(width > 0 ? [EMPTY] : []),
    ...Object.entries(terms).map(([term, meaning]) => line(meaning, `  ${term.padEnd(width)}  `)),
    EMPTY,
    line('Flags'),
    ...flags,
    EMPTY,
    line('Examples'),
    ...examples.map(example),
  ];
}

export function familyUsage({ name, otherwise }: CommandFamily): string {
  return otherwise?.usage ?? `baton ${name} COMMAND [ARGUMENTS] [--json] [--help]`;
}

export function familyHelp(family: CommandFamily): readonly Line[] {
  const { about, verbs, examples, name } = family;
  return [
    line(familyUsage(family), 'usage: '),
    EMPTY,
    ...paragraphs(about),
    EMPTY,
    line('Commands'),
    ...verbs.map(commandLine),
    EMPTY,
    line('Examples'),
    ...examples.map(example),
    EMPTY,
    line(`baton ${name} COMMAND --help shows its flags and examples.`),
  ];
}

function commandLine({ name, summary }: { readonly name: string; readonly summary: string }): Line {
  return line(summary, `  ${name.padEnd(NAME_WIDTH)}  `);
}

function paragraphs(about: string): readonly Line[] {
  return about.split('\n').map((paragraph) => line(paragraph));
}

/** Stays on one line: it is to be pasted. */
function example(call: string): Line {
  return commandLineOf('  ', call);
}
