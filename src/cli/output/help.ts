import type { CommandFamily, CommandText } from '../command.ts';
import { COMMANDS } from '../command-lists/command-list.ts';
import { shownFlags } from '../parse-call.ts';

const NAME_WIDTH = 'completion'.length;
const GROUPS = ['Work', 'Review', 'Agents', 'Node', 'Protocols'] as const;

export function overview(version: string): string {
  const lines = [
    `baton ${version}: gets AI coding agents of different makers to work together, and proves what they did`,
    '',
    'usage: baton COMMAND [ARGUMENTS] [--json] [--help]',
  ];
  for (const group of GROUPS) {
    const commands = COMMANDS.filter((command) => command.group === group);
    if (commands.length > 0) lines.push('', group, ...commands.map(commandLine));
  }
  lines.push('', 'baton COMMAND --help shows its flags and examples; baton --version prints the version.');
  return lines.join('\n');
}

export function commandHelp(command: CommandText): string {
  const flags = Object.entries(shownFlags(command)).map(([name, spec]) => {
    const long = `--${name}${spec.takes === 'nothing' ? '' : ` ${spec.shows ?? 'VALUE'}`}`;
    const head = spec.short === undefined ? long : `-${spec.short}, ${long}`;
    return `  ${head.padEnd(26)} ${spec.help}`;
  });
  const { usage, about, examples } = command;
  return [`usage: ${usage}`, '', about, '', 'Flags', ...flags, '', 'Examples', ...examples.map(indented)].join('\n');
}

export function familyUsage({ name }: CommandFamily): string {
  return `baton ${name} COMMAND [ARGUMENTS] [--json] [--help]`;
}

export function familyHelp(family: CommandFamily): string {
  const { about, verbs, examples, name } = family;
  return [
    `usage: ${familyUsage(family)}`,
    '',
    about,
    '',
    'Commands',
    ...verbs.map(commandLine),
    '',
    'Examples',
    ...examples.map(indented),
    '',
    `baton ${name} COMMAND --help shows its flags and examples.`,
  ].join('\n');
}

function commandLine({ name, summary }: { readonly name: string; readonly summary: string }): string {
  return `  ${name.padEnd(NAME_WIDTH)}  ${summary}`;
}

function indented(text: string): string {
  return `  ${text}`;
}
