import type { Readable } from 'node:stream';
import { KIB } from '../../domain/limits.ts';
import { PROCESS_LINE_BYTES_MAX, PROCESS_LINE_HEAD_BYTES } from '../../domain/process-limits.ts';
import type { OutputLine, ProcessSpec } from '../sandbox/sandbox.ts';
import { type FramedLine, Framing } from './framing.ts';
import { type SecretMask, secretMask } from './secret-mask.ts';

export interface OutputLines {
  /** Resolves when both streams are closed. Never rejects. */
  readonly closed: Promise<unknown>;
  /** Stops waiting for the reader: little is left in the pipe. */
  drain(): void;
  /** Stops reading, and emits an unfinished last line. */
  end(): void;
}

/** Reads the output of a process as masked lines, no faster than onLine takes them. */
export function readOutput(
  streams: Readonly<Record<OutputLine['stream'], Readable>>,
  spec: Pick<ProcessSpec, 'secrets' | 'onLine'>,
  onFault: (error: unknown) => void,
): OutputLines {
  const mask = secretMask(spec.secrets);
  const emit = (line: OutputLine) => spec.onLine(line);
  const readers = (['stdout', 'stderr'] as const).map(
    (name) => new StreamReader(streams[name], { name, mask, emit, onFault }),
  );
  return {
    closed: Promise.all(readers.map((reader) => reader.closed)),
    drain: () => readers.forEach((reader) => void reader.drain()),
    end: () => readers.forEach((reader) => void reader.end()),
  };
}

/**
 * Chunks lie outside the heap and are freed when the young objects that refer to them are collected. A stream makes few
 * such objects, so 64 MiB pile up first. This much short-lived text a chunk makes V8 collect at a third of that.
 */
const YOUNG_BYTES = 8 * KIB;

interface ReaderParts {
  readonly name: OutputLine['stream'];
  readonly mask: SecretMask;
  emit(line: OutputLine): void | Promise<void>;
  onFault(error: unknown): void;
}

class StreamReader {
  readonly closed: Promise<void>;
  readonly #stream: Readable;
  readonly #parts: ReaderParts;
  readonly #framing: Framing;
  #pending: Promise<void>[] = [];
  #isDraining = false;

  constructor(stream: Readable, parts: ReaderParts) {
    this.#stream = stream;
    this.#parts = parts;
    const headBytes = PROCESS_LINE_HEAD_BYTES + parts.mask.bytesMax;
    this.#framing = new Framing({ lineBytesMax: PROCESS_LINE_BYTES_MAX, headBytes }, (frame) => this.#emit(frame));
    this.closed = new Promise((resolve) => stream.once('close', resolve));
    // A broken pipe is an ended pipe: the exit of the process decides.
    stream.on('error', () => stream.destroy());
    stream.on('data', (chunk: Buffer) => this.#read(chunk));
    stream.resume();
  }

  drain(): void {
    this.#isDraining = true;
    this.#stream.resume();
  }

  end(): void {
    this.#stream.destroy();
    this.#guard(() => this.#framing.end());
  }

  #read(chunk: Buffer): void {
    // Only to make garbage; see YOUNG_BYTES.
    chunk.toString('latin1', 0, YOUNG_BYTES);
    this.#guard(() => this.#framing.push(chunk));
    if (this.#pending.length === 0) return;
    const pending = Promise.all(this.#pending);
    this.#pending = [];
    if (!this.#isDraining) this.#stream.pause();
    pending.then(() => this.#stream.resume(), this.#parts.onFault);
  }

  #emit(frame: FramedLine): void {
    const pending = this.#parts.emit({ stream: this.#parts.name, ...readFrame(frame, this.#parts.mask) });
    if (pending instanceof Promise) this.#pending.push(pending);
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#parts.onFault(error);
    }
  }
}

function readFrame({ bytes, lineBytes }: FramedLine, mask: SecretMask): Omit<OutputLine, 'stream'> {
  const text = mask.apply(withoutReturn(bytes).toString('utf8'));
  if (lineBytes <= PROCESS_LINE_BYTES_MAX) return { text, isTruncated: false };
  // Masked before it is cut, so that no secret is cut in half and shown.
  return { text: `${text.slice(0, PROCESS_LINE_HEAD_BYTES)} [truncated: ${lineBytes} bytes]`, isTruncated: true };
}

function withoutReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === 13 ? bytes.subarray(0, -1) : bytes;
}
