import { NDJSON_LINE_BYTES_MAX } from '../domain/limits.ts';
import { openBytes, readBounded, readLines } from '../platform/files.ts';
import { AOF_PREFIX } from '../protocols/detect.ts';
import { UsageError } from './command.ts';

/** Why the operating system does not let a file be read, in words; its own code where there are none. */
export function whyUnreadable(systemCode: string): string {
  return REASONS[systemCode] ?? systemCode;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  ENAMETOOLONG: 'its path is too long to be one',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not valid UTF-8',
};

/** A text given as a flag: itself, or - for what comes on standard input. */
export async function textOrInput(given: string, bytesMax: number): Promise<string> {
  if (given !== '-') return given;
  const bytes = await readBounded(openBytes('-'), bytesMax);
  if (bytes.length > bytesMax) throw new UsageError('standard input is too long', `at most ${bytesMax} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Thrown for bytes that are no UTF-8, and for nothing else.
    throw new UsageError('standard input is no text', 'give it as UTF-8');
  }
}

/** One message as it was given; null where its bytes are no text. */
export interface MessageText {
  /** In a source of one message a line. */
  readonly line: number | null;
  readonly text: string | null;
}

const LINES_FILE = /\.(ndjson|jsonl)$/i;

/** The messages of a file or of standard input: one, or one a line. What cannot be read at all is told before anything else. */
export async function readMessageTexts(
  file: string,
  asLines: boolean,
): Promise<Iterable<MessageText> | AsyncIterable<MessageText>> {
  try {
    if (asLines || LINES_FILE.test(file)) return await startedLines(file);
    const bytes = await readBounded(openBytes(file), NDJSON_LINE_BYTES_MAX);
    const text = textOf(bytes);
    if (text !== null && isPrefixedLines(text)) return linesOf(text);
    return [{ line: null, text }];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(
      `cannot read ${file}: ${whyUnreadable(code)}`,
      'look at the path; - reads standard input',
      'unreadable_file',
    );
  }
}

/** Opens the file now, so that a missing one is known before the node is asked for anything. */
async function startedLines(file: string): Promise<AsyncIterable<MessageText>> {
  const lines = readLines(openBytes(file), NDJSON_LINE_BYTES_MAX);
  const first = await lines.next();
  async function* texts(): AsyncGenerator<MessageText> {
    for (let next = first; !next.done; next = await lines.next()) {
      const { number, bytes } = next.value;
      yield { line: number, text: textOf(bytes) };
    }
  }
  return texts();
}

function isPrefixedLines(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.every((line) => line.startsWith(AOF_PREFIX));
}

function linesOf(text: string): readonly MessageText[] {
  return text
    .split('\n')
    .map((line, at) => ({ line: at + 1, text: line.replace(/\r$/, '') }))
    .filter(({ text: line }) => line.trim() !== '');
}

/** What is over the limit is judged by its size, so the cut may go through a character. */
function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: bytes.length <= NDJSON_LINE_BYTES_MAX }).decode(bytes);
  } catch {
    // Thrown for bytes that are no UTF-8, and for nothing else.
    return null;
  }
}
