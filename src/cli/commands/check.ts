import { NDJSON_LINE_BYTES_MAX } from '../../domain/limits.ts';
import { type BytesSource, openBytes, readBounded, readLines } from '../../platform/files.ts';
import { PROTOCOL_NAMES, type Problem, type ProtocolName, type Warning } from '../../protocols/codec.ts';
import { isProtocolName } from '../../protocols/detect.ts';
import { notText, type ReadHints, type ReadMessage, readMessage } from '../../protocols/read-message.ts';
import { type Answer, type Call, type Command, flagText, UsageError } from '../command.ts';

/** One message, judged. The shape of `baton check --json`. */
interface Checked {
  readonly file: string;
  /** The line in a file with one message a line. */
  readonly line?: number;
  readonly protocol: ProtocolName | null;
  readonly kind: string | null;
  readonly verdict: 'accepted' | 'malformed' | 'foreign';
  readonly code: string | null;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Warning[];
}

export const checkCommand: Command = {
  usage: 'baton check [FILE… | -] [--as PROTOCOL] [--kind KIND] [--json]',
  about: [
    'Validates protocol messages. A file holds one message; a .ndjson or .jsonl file one a line; - is standard input.',
    'Exit 0 if all are accepted, 2 otherwise.',
  ].join('\n'),
  examples: ['baton check task.json', 'baton check --as aof messages.ndjson --json', 'cat answer.json | baton check -'],
  flags: {
    as: { takes: 'value', shows: 'PROTOCOL', help: `read it as one of ${PROTOCOL_NAMES.join(', ')}` },
    kind: {
      takes: 'value',
      shows: 'KIND',
      help: 'for AOF files without a marker: run, run_heartbeat, run_result, handoff, task, event',
    },
    lines: { takes: 'nothing', help: 'one message a line, whatever the file is called' },
  },
  async run(call) {
    const hints = hintsOf(call);
    const files = filesOf(call);
    return checkFiles(files, hints, Boolean(call.flags.lines));
  },
};

function hintsOf(call: Call): ReadHints {
  const as = flagText(call, 'as');
  const kind = flagText(call, 'kind');
  if (as !== undefined && !isProtocolName(as)) {
    throw new UsageError(
      `check: no protocol ${JSON.stringify(as)}`,
      `baton check --as ${PROTOCOL_NAMES.join('|')} FILE`,
    );
  }
  return { ...(as !== undefined && { as }), ...(kind !== undefined && { kind }) };
}

function filesOf(call: Call): readonly string[] {
  if (call.words.length > 0) return call.words;
  if (process.stdin.isTTY) throw new UsageError('check: no file given', 'baton check FILE, or baton check - < FILE');
  return ['-'];
}

function checkFiles(files: readonly string[], hints: ReadHints, asLines: boolean): Answer<Checked> {
  let allAccepted = true;
  async function* values(): AsyncGenerator<Checked> {
    for (const file of files) {
      for await (const checked of checkFile(file, hints, asLines)) {
        allAccepted &&= checked.verdict === 'accepted';
        yield checked;
      }
    }
  }
  return { values: values(), human, exitCode: () => (allAccepted ? 0 : 2) };
}

async function* checkFile(file: string, hints: ReadHints, asLines: boolean): AsyncGenerator<Checked> {
  const source = openBytes(file);
  try {
    if (asLines || /\.(ndjson|jsonl)$/.test(file)) yield* checkLines(file, source, hints);
    else yield toChecked(file, await judge(await readBounded(source, NDJSON_LINE_BYTES_MAX), file, hints));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    yield unreadable(file, code);
  }
}

async function* checkLines(file: string, source: BytesSource, hints: ReadHints): AsyncGenerator<Checked> {
  let line = 0;
  for await (const bytes of readLines(source, NDJSON_LINE_BYTES_MAX)) {
    line++;
    if (bytes.every((byte) => byte <= 32)) continue;
    yield { ...toChecked(file, await judge(bytes, file, hints)), line };
  }
}

async function judge(bytes: Buffer, file: string, hints: ReadHints): Promise<ReadMessage> {
  // What is over the limit is judged by its size, so the cut may go through a character.
  const decoder = new TextDecoder('utf-8', { fatal: bytes.length <= NDJSON_LINE_BYTES_MAX });
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    // Thrown for bytes that are no UTF-8, and for nothing else.
    return notText(hints.as ?? null);
  }
  return await readMessage(text, { ...hints, fileName: file });
}

function toChecked(file: string, { protocol, verdict }: ReadMessage): Checked {
  return {
    file,
    protocol,
    kind: verdict.verdict === 'foreign' ? null : verdict.kind,
    verdict: verdict.verdict,
    code: verdict.verdict === 'malformed' ? verdict.code : null,
    errors: verdict.verdict === 'malformed' ? verdict.errors : [],
    warnings: verdict.warnings,
  };
}

function unreadable(file: string, code: string): Checked {
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a folder',
    EACCES: 'reading is not permitted',
  };
  const message = `cannot read ${file}: ${reasons[code] ?? code}`;
  return {
    file,
    protocol: null,
    kind: null,
    verdict: 'malformed',
    code: 'unreadable_file',
    errors: [{ path: '', message }],
    warnings: [],
  };
}

function human(checked: Checked): string {
  const where = checked.line === undefined ? checked.file : `${checked.file}:${checked.line}`;
  const what = [checked.protocol, checked.kind].filter((part) => part !== null).join(' ');
  const lines = [
    `${where}: ${checked.verdict}${what === '' ? '' : ` (${what})`}${checked.code === null ? '' : `, ${checked.code}`}`,
  ];
  if (checked.verdict === 'foreign')
    lines[0] += checked.protocol === null ? ': speaks none of the five protocols' : ': speaks another protocol or none';
  for (const error of checked.errors) lines.push(`  error: ${error.message}`);
  for (const warning of checked.warnings) lines.push(`  warning: ${warning.message} (${warning.code})`);
  return lines.join('\n');
}
