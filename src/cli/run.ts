import { UsageError } from './command.ts';
import { COMMANDS, type CommandEntry } from './command-list.ts';
import { commandHelp, overview } from './output/help.ts';
import { printAnswer, printJson, printRefusal, printText } from './output/print.ts';
import { parseCall, splitCommand } from './parse-call.ts';

const EXIT_REFUSED = 2;

/** The whole command line: finds the command, runs it, prints its answer. Every refusal ends here. */
export async function runCommandLine(argv: readonly string[], version: string): Promise<number> {
  const json = argv.includes('--json');
  endQuietlyOnClosedPipe();
  try {
    const { name, rest } = splitCommand(argv);
    if (name === null || name === 'help') return await helpFor(rest, version, json);
    const command = await entryNamed(name).load();
    const call = parseCall(rest, command.flags, name);
    if (call.flags.help) return await helpOn(name, json);
    return await printAnswer(await command.run(call), json);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    await printRefusal(error, 'usage', json);
    return EXIT_REFUSED;
  }
}

async function helpFor(rest: readonly string[], version: string, json: boolean): Promise<number> {
  const topic = rest.find((word) => !word.startsWith('-'));
  if (topic !== undefined) return await helpOn(topic, json);
  if (rest.includes('--version') || rest.includes('-V')) return await say({ version }, version, json);
  const unknown = rest.find((word) => !['--help', '-h', '--json', '--no-color'].includes(word));
  if (unknown !== undefined) throw new UsageError(`unknown flag ${unknown}`, 'baton --help');
  const commands = COMMANDS.map(({ name, group, summary }) => ({ name, group, summary }));
  await say({ version, commands }, overview(version), json);
  return rest.length === 0 ? EXIT_REFUSED : 0;
}

async function helpOn(name: string, json: boolean): Promise<number> {
  const command = await entryNamed(name).load();
  const { usage, about, flags, examples } = command;
  return await say({ usage, about, flags, examples }, commandHelp(command), json);
}

function entryNamed(name: string): CommandEntry {
  const entry = COMMANDS.find((command) => command.name === name);
  if (entry) return entry;
  const near = COMMANDS.find((command) => command.name.startsWith(name.slice(0, 2)));
  throw new UsageError(`no command ${JSON.stringify(name)}`, near ? `baton ${near.name} --help` : 'baton --help');
}

async function say(value: unknown, text: string, json: boolean): Promise<number> {
  await (json ? printJson(value) : printText(text));
  return 0;
}

/** `baton … | head` closes our stdout early: that is not an error. */
function endQuietlyOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}
