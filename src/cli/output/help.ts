import type { Command } from '../command.ts';
import { COMMANDS } from '../command-list.ts';
import { GLOBAL_FLAGS } from '../global-flags.ts';

const GROUPS = ['Work', 'Review', 'Agents', 'Node', 'Protocols'] as const;

export function overview(version: string): string {
  const lines = [
    `baton ${version}: gets AI coding agents of different makers to work together, and proves what they did`,
    '',
    'usage: baton COMMAND [ARGUMENTS] [--json] [--help]',
  ];
  for (const group of GROUPS) {
    const commands = COMMANDS.filter((command) => command.group === group);
    if (commands.length === 0) continue;
    lines.push('', group, ...commands.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`));
  }
  lines.push('', 'baton COMMAND --help tells more, with examples; baton --version, the version.');
  return lines.join('\n');
}

export function commandHelp(command: Command): string {
  const flags = Object.entries({ ...command.flags, ...GLOBAL_FLAGS }).map(([name, spec]) => {
    const head = `--${name}${spec.takes === 'nothing' ? '' : ` ${spec.shows ?? 'VALUE'}`}`;
    return `  ${head.padEnd(26)} ${spec.help}`;
  });
  const examples = command.examples.map((example) => `  ${example}`);
  return [`usage: ${command.usage}`, '', command.about, '', 'Flags', ...flags, '', 'Examples', ...examples].join('\n');
}
