import { NDJSON_LINE_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import { type BytesSource, openBytes, readBounded, readLines } from '../../platform/files/files.ts';
import { PROTOCOL_NAMES } from '../../protocols/codec.ts';
import { isProtocolName } from '../../protocols/detect.ts';
import { notText, type ReadHints, type ReadMessage, readMessage } from '../../protocols/read-message.ts';
import { loadCodec } from '../../protocols/registry.ts';
import { type Answer, type Call, type CliCommand, flagText, UsageError } from '../command.ts';
import { LINES_FILE } from '../read-input.ts';
import { checkSummary, checkText } from './check-text.ts';
import { type CheckedMessage, toChecked, unreadableFile } from './checked-message.ts';

/** Room for the line number after a file name. */
const LINE_NUMBER_WIDTH = ':9999'.length;

interface CheckPlan {
  readonly files: readonly string[];
  readonly hints: ReadHints;
  /** Every file holds one message a line, whatever its name. */
  readonly asLines: boolean;
  /** Event types of SAOP that the configuration registers. */
  eventTypes(): Promise<NonNullable<ReadHints['eventTypes']>>;
}

export const checkCommand: CliCommand = {
  usage: 'baton check [FILE… | -] [--as PROTOCOL] [--kind KIND] [--lines] [--json]',
  about: [
    'Validates messages of the five protocols and reports every error, field by field.',
    'Event types that the configuration registers (event_types) count too.',
    'A file holds one message; a .ndjson or .jsonl file holds one a line; - is standard input.',
    'Exit 0 if every message is accepted, 2 otherwise.',
  ].join('\n'),
  terms: {
    accepted: 'a valid message',
    malformed: 'a message of a protocol that breaks its rules: a code, and a sentence for each error',
    foreign: 'no message of the five protocols, or not of the one that --as names',
  },
  examples: [
    'baton check task.json',
    'baton check --as aof messages.ndjson --json',
    'baton check --kind run_result result-of-today.json',
    'cat answer.json | baton check -',
  ],
  ignores: ['key'],
  flags: {
    as: { takes: 'value', shows: 'PROTOCOL', help: `read it as one of ${PROTOCOL_NAMES.join(', ')}` },
    kind: {
      takes: 'value',
      shows: 'KIND',
      help: 'kind of a file that does not name it: run, run_heartbeat, run_result, handoff, task, event',
    },
    lines: { takes: 'nothing', help: 'one message a line, whatever the file name' },
  },
  async run(call) {
    const asLines = Boolean(call.flags.lines);
    const eventTypes = async () => (await import('./registered-event-types.ts')).registeredEventTypes(call);
    return checkFiles({ files: filesOf(call), hints: await readHints(call), asLines, eventTypes });
  },
};

function filesOf(call: Call): readonly string[] {
  if (call.words.length > 0) return call.words;
  if (process.stdin.isTTY) throw new UsageError('check: no file given', 'baton check FILE, or baton check - < FILE');
  return ['-'];
}

function checkFiles(plan: CheckPlan): Answer<CheckedMessage> {
  const counts = { accepted: 0, malformed: 0, foreign: 0, refused: 0 };
  async function* values(): AsyncGenerator<CheckedMessage> {
    for (const file of plan.files) {
      for await (const checked of checkFile(file, plan)) {
        counts[checked.verdict]++;
        yield checked;
      }
    }
  }
  const nameWidth = Math.max(
    ...plan.files.map((file) => file.length + (holdsLines(file, plan) ? LINE_NUMBER_WIDTH : 0)),
  );
  return {
    values: values(),
    human: (checked) => checkText(checked, nameWidth),
    summary: () => checkSummary(counts),
    exitCode: () => (counts.malformed + counts.foreign + counts.refused === 0 ? 0 : 2),
  };
}

function holdsLines(file: string, plan: CheckPlan): boolean {
  return plan.asLines || LINES_FILE.test(file);
}

async function* checkFile(file: string, plan: CheckPlan): AsyncGenerator<CheckedMessage> {
  const source = openBytes(file);
  try {
    if (holdsLines(file, plan)) yield* checkLines(file, source, plan);
    else yield toChecked({ file }, await judge(await readBounded(source, NDJSON_LINE_BYTES_MAX), file, plan));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    yield unreadableFile(file, code);
  }
}

async function* checkLines(file: string, source: BytesSource, plan: CheckPlan): AsyncGenerator<CheckedMessage> {
  for await (const { number, bytes } of readLines(source, NDJSON_LINE_BYTES_MAX)) {
    yield toChecked({ file, line: number }, await judge(bytes, file, plan));
  }
}

async function judge(bytes: Buffer, file: string, { hints, eventTypes }: CheckPlan): Promise<ReadMessage> {
  // A text over the limit is refused for its size, so the cut may split a character.
  const decoder = new TextDecoder('utf-8', { fatal: bytes.length <= NDJSON_LINE_BYTES_MAX });
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    // Thrown only for bytes that are not UTF-8.
    return notText(hints.as ?? null);
  }
  const read = await readMessage(text, { ...hints, fileName: file });
  if (read.verdict.verdict !== 'malformed' || read.verdict.code !== 'invalid_event') return read;
  // A type may be registered; the configuration is read for such a message alone.
  return await readMessage(text, { ...hints, fileName: file, eventTypes: await eventTypes() });
}

/** Reads --as and --kind; refuses a protocol or kind that does not exist. */
async function readHints(call: Call): Promise<ReadHints> {
  const as = flagText(call, 'as');
  const kind = flagText(call, 'kind');
  if (as !== undefined && !isProtocolName(as)) {
    throw new UsageError(
      `check: no protocol ${JSON.stringify(as)}`,
      `baton check --as ${PROTOCOL_NAMES.join('|')} FILE`,
    );
  }
  if (kind === undefined) return as === undefined ? {} : { as };
  const { protocol, kinds } = await loadCodec(as ?? 'aof');
  if (!kinds.includes(kind)) {
    throw new UsageError(`check: ${protocol} has no kind ${JSON.stringify(kind)}`, `--kind ${kinds.join('|')}`);
  }
  return { ...(as !== undefined && { as }), kind };
}
