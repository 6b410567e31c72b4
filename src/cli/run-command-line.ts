import { assertNever } from '../domain/assert-never.ts';
import { InterruptFault, terminalColumns } from '../platform/terminal.ts';
import { type Answer, UsageError } from './command.ts';
import { COMMANDS } from './command-list.ts';
import { type FoundCommand, findCommand } from './find-command.ts';
import { commandHelp, familyHelp, familyUsage, overview } from './output/help.ts';
import { foldLines, type Line, line } from './output/lines.ts';
import {
  handleClosedPipes,
  type PrintOptions,
  printAnswer,
  printJson,
  printRefusal,
  printText,
  printWarning,
} from './output/print.ts';
import { styleOf } from './output/style.ts';
import { GLOBAL_FLAGS, parseCall, splitArguments } from './parse-call.ts';

const EXIT_REFUSED = 2;
const EXIT_STOPPED = 130;

/** The whole command line: finds the command, runs it, prints its answer. Every refusal ends here. */
export async function runCommandLine(argv: readonly string[], version: string): Promise<number> {
  const json = argv.includes('--json');
  handleClosedPipes();
  try {
    return await runCall(argv, version, json);
  } catch (error) {
    if (error instanceof UsageError) {
      await printRefusal(error, error.code, json);
      return EXIT_REFUSED;
    }
    if (error instanceof InterruptFault) {
      printWarning('stopped by you; nothing was started or changed');
      return EXIT_STOPPED;
    }
    const { explainFault } = await import('./explain-fault.ts');
    const { refusal, code, exitCode } = explainFault(error);
    await printRefusal(refusal, code, json);
    return exitCode;
  }
}

async function runCall(argv: readonly string[], version: string, json: boolean): Promise<number> {
  const { name, rest } = splitArguments(argv);
  if (name === null) return await showHelp({ argv, version, json });
  if (name === 'help') return await showHelp({ argv: rest.length === 0 ? ['--help'] : rest, version, json });
  const found = findCommand(name, rest);
  if (found.kind === 'family') {
    await helpOn(found, json);
    return found.rest.some((word) => word === '--help' || word === '-h') ? 0 : EXIT_REFUSED;
  }
  const command = await found.entry.load();
  const call = parseCall(found.rest, command.flags, found.name);
  if (call.flags.help) return await helpOn(found, json);
  return await print(await command.run(call), { json, style: styleOf(call) });
}

async function print(answer: Answer<unknown>, manner: PrintOptions): Promise<number> {
  try {
    return await printAnswer(answer, manner);
  } finally {
    const warning = (await answer.finish?.()) ?? null;
    if (warning !== null) printWarning(warning);
  }
}

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
async function showHelp({ argv, version, json }: HelpCall): Promise<number> {
  const { name, rest } = splitArguments(argv);
  if (name !== null) return await helpOn(findCommand(name, rest), json);
  const unknown = flagsOf(argv).find((flag) => !ASKS.includes(flag) && !(flag.replace(/^--/, '') in GLOBAL_FLAGS));
  if (unknown !== undefined) throw new UsageError(`unknown flag ${unknown}`, 'baton --help');
  if (argv.includes('--version') || argv.includes('-V')) return await say({ version }, [line(version)], json);
  const commands = COMMANDS.map((entry) => ({ name: entry.name, group: entry.group, summary: entry.summary }));
  await say({ version, commands }, overview(version), json);
  return argv.length === 0 ? EXIT_NOTHING_DONE : 0;
}

async function helpOn(found: FoundCommand, json: boolean): Promise<number> {
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
