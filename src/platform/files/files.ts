// Loaded by getBuiltinModule: an import of node:fs builds a facade of all its exports, 4 ms of every short command.
const { closeSync, openSync, readSync } = process.getBuiltinModule('node:fs');

/** Chunks; each is valid only until the next is read. */
export type BytesSource = AsyncIterable<Buffer> | Iterable<Buffer>;

interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

const FILE_CHUNK_BYTES = 256 * 1024;
const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;

/** Streams the bytes of a file, or of standard input for `-`. */
export function openBytes(file: string): BytesSource {
  return file === '-' ? (process.stdin as AsyncIterable<Buffer>) : fileBytes(file);
}

function* fileBytes(path: string): Generator<Buffer> {
  const file = openSync(path, 'r');
  const chunk = Buffer.allocUnsafe(FILE_CHUNK_BYTES);
  try {
    for (;;) {
      const bytes = readSync(file, chunk);
      if (bytes === 0) return;
      yield chunk.subarray(0, bytes);
    }
  } finally {
    closeSync(file);
  }
}

/** Reads at most `bytesMax` + 1 bytes: the extra byte tells that the file is too large. */
export async function readBounded(source: BytesSource, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(chunks).subarray(0, bytesMax + 1);
}

/**
 * Lines without their line ends; blank ones are counted and skipped. A line longer than `bytesMax` is cut to its first
 * `bytesMax` + 1 bytes.
 */
export async function* readLines(source: BytesSource, bytesMax: number): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let bytes = 0;
  let number = 1;
  for await (const chunk of source) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      if (bytes <= bytesMax) parts.push(chunk.subarray(from, end));
      const line = lineOf(parts, bytesMax);
      if (!isBlank(line)) yield { number, bytes: line };
      parts = [];
      bytes = 0;
      number++;
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    if (rest.length > 0 && bytes <= bytesMax) parts.push(Buffer.from(rest));
    bytes += rest.length;
  }
  const last = lineOf(parts, bytesMax);
  if (!isBlank(last)) yield { number, bytes: last };
}

function lineOf(parts: readonly Buffer[], bytesMax: number): Buffer {
  const whole = (parts.length === 1 ? parts[0] : Buffer.concat(parts)) as Buffer;
  const end = whole.at(-1) === CARRIAGE_RETURN ? whole.length - 1 : whole.length;
  return whole.subarray(0, Math.min(end, bytesMax + 1));
}

function isBlank(line: Buffer): boolean {
  for (const byte of line) if (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) return false;
  return true;
}
