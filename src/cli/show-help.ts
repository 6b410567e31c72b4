import { assertNever } from '../domain/assert-never.ts';
import { terminalColumns } from '../platform/terminal.ts';
import { UsageError } from './command.ts';
import { COMMANDS } from './command-lists/command-list.ts';
import { type FoundCommand, findCommand } from './command-lists/find-command.ts';
import { commandHelp, familyHelp, familyUsage, overview } from './output/help.ts';
import { foldLines, type Line, line } from './output/lines.ts';
import { printJson, printText } from './output/print.ts';
import { GLOBAL_FLAGS, splitCommand } from './parse-call.ts';

const EXIT_NOTHING_DONE = 2;
/** Longer lines are hard to read. */
const HELP_COLUMNS_MAX = 120;
const ASKS = ['--version', '-V', '--help', '-h'];

export interface HelpCall {
  readonly argv: readonly string[];
  readonly version: string;
  readonly json: boolean;
}

/** Answers a call without a command, and baton help COMMAND. */
export async function showHelp({ argv, version, json }: HelpCall): Promise<number> {
  const { name, rest } = splitCommand(argv);
  if (name !== null) return await helpOn(findCommand(name, rest), json);
  const unknown = flagsOf(argv).find((flag) => !ASKS.includes(flag) && !(flag.replace(/^--/, '') in GLOBAL_FLAGS));
  if (unknown !== undefined) throw new UsageError(`unknown flag ${unknown}`, 'baton --help');
  if (argv.includes('--version') || argv.includes('-V')) return await say({ version }, [line(version)], json);
  const commands = COMMANDS.map((entry) => ({ name: entry.name, group: entry.group, summary: entry.summary }));
  await say({ version, commands }, overview(version), json);
  return argv.length === 0 ? EXIT_NOTHING_DONE : 0;
}

export async function helpOn(found: FoundCommand, json: boolean): Promise<number> {
  switch (found.kind) {
    case 'command': {
      const command = await found.entry.load();
      const { usage, about, terms, flags, examples } = command;
      return await say({ usage, about, ...(terms && { terms }), flags, examples }, commandHelp(command), json);
    }
    case 'family': {
      const { about, verbs, examples } = found.entry;
      const commands = verbs.map(({ name, summary }) => ({ name, summary }));
      const value = { usage: familyUsage(found.entry), about, commands, examples };
      return await say(value, familyHelp(found.entry), json);
    }
    default:
      return assertNever(found);
  }
}

/** The flags without their values. */
function flagsOf(argv: readonly string[]): readonly string[] {
  return argv.filter((word) => word.startsWith('-')).map((word) => word.split('=')[0] ?? word);
}

async function say(value: unknown, lines: readonly Line[], json: boolean): Promise<number> {
  await (json ? printJson(value) : printText(foldLines(lines, Math.min(terminalColumns(), HELP_COLUMNS_MAX))));
  return 0;
}
