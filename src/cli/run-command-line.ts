import { type Answer, UsageError } from './command.ts';
import { findCommand } from './command-lists/find-command.ts';
import { handleClosedPipes, type PrintOptions, printAnswer, printRefusal, printWarning } from './output/print.ts';
import { styleOf } from './output/style.ts';
import { parseCall, splitCommand } from './parse-call.ts';
import { helpOn, showHelp } from './show-help.ts';

const EXIT_REFUSED = 2;

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
    const { explainFault } = await import('./explain-fault.ts');
    const { refusal, code, exitCode } = explainFault(error);
    await printRefusal(refusal, code, json);
    return exitCode;
  }
}

async function runCall(argv: readonly string[], version: string, json: boolean): Promise<number> {
  const { name, rest } = splitCommand(argv);
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
