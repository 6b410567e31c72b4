import { NDJSON_LINE_BYTES_MAX } from '../domain/federation/message-limits.ts';
import { startOfDay } from '../platform/clock.ts';
import { openBytes, readBounded, readLines } from '../platform/files/files.ts';
import { AOF_PREFIX } from '../protocols/detect.ts';
import { UsageError } from './command.ts';

/** A system error code as a sentence; the code itself if it has none here. */
export function whyUnreadable(systemCode: string): string {
  return REASONS[systemCode] ?? systemCode;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  ENAMETOOLONG: 'the path is too long',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not valid UTF-8',
};

/** The value of a flag, or standard input if the value is -. */
export async function textOrInput(given: string, bytesMax: number): Promise<string> {
  if (given !== '-') return given;
  const bytes = await readBounded(openBytes('-'), bytesMax);
  if (bytes.length > bytesMax) throw new UsageError('standard input is too long', `at most ${bytesMax} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Thrown only for bytes that are not UTF-8.
    throw new UsageError('standard input is not UTF-8 text', 'convert it to UTF-8');
  }
}

/** One message of a file or of standard input. */
export interface MessageText {
  /** Null if the source is a single message. */
  readonly line: number | null;
  /** Null if the bytes are not UTF-8. */
  readonly text: string | null;
}

/** A file of one message a line, by its name. */
export const LINES_FILE = /\.(ndjson|jsonl)$/i;

/** Reads the messages of a file or of standard input. Throws before the first message if it cannot be read. */
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
      'check the path; - reads standard input',
      'unreadable_file',
    );
  }
}

/** Opens the file now, so that a missing file is reported before a node is opened. */
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

/** A text over the limit is refused for its size, so the cut may split a character. */
function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: bytes.length <= NDJSON_LINE_BYTES_MAX }).decode(bytes);
  } catch {
    // Thrown only for bytes that are not UTF-8.
    return null;
  }
}

const INSTANT = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/i;

/** An instant as a person types it: today's midnight, a day, or a day and time. Null if it is none. */
export function readInstant(text: string, nowMs: number): string | null {
  if (text.toLowerCase() === 'today') return new Date(startOfDay(nowMs)).toISOString();
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : null;
}
