import type { Readable } from 'node:stream';
import { KIB, PROCESS_LINE_BYTES_MAX, PROCESS_LINE_HEAD_BYTES } from '../../domain/limits.ts';
import type { OutputLine, ProcessSpec } from '../sandbox/sandbox.ts';
import { type Frame, Framing } from './framing.ts';
import { type SecretMask, secretMask } from './secret-mask.ts';

export interface OutputLines {
  /** When nothing more can come. Never rejects. */
  readonly closed: Promise<unknown>;
  /** From here on nobody is waited for: what is left in the pipe is little. */
  drain(): void;
  /** Gives up what has not come yet, and hands on what was held. */
  end(): void;
}

/** Reads what a process writes, line by line and masked, no faster than its reader takes it. */
export function readOutput(
  streams: Readonly<Record<OutputLine['stream'], Readable>>,
  spec: Pick<ProcessSpec, 'secrets' | 'onLine'>,
  onFault: (error: unknown) => void,
): OutputLines {
  const mask = secretMask(spec.secrets);
  const tell = (line: OutputLine) => spec.onLine(line);
  const readers = (['stdout', 'stderr'] as const).map(
    (name) => new StreamReader(streams[name], { name, mask, tell, onFault }),
  );
  return {
    closed: Promise.all(readers.map((reader) => reader.closed)),
    drain: () => readers.forEach((reader) => void reader.drain()),
    end: () => readers.forEach((reader) => void reader.end()),
  };
}

/**
 * What was read lies outside of the heap, and its garbage is collected with the young objects that name it, of which a
 * stream makes few: 64 MiB pile up first. So much text a chunk brings the next collection forward, to a third of that.
 */
const YOUNG_BYTES = 8 * KIB;

interface ReaderParts {
  readonly name: OutputLine['stream'];
  readonly mask: SecretMask;
  tell(line: OutputLine): void | Promise<void>;
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
    this.#framing = new Framing({ lineBytesMax: PROCESS_LINE_BYTES_MAX, headBytes }, (frame) => this.#tell(frame));
    this.closed = new Promise((resolve) => stream.once('close', resolve));
    // A pipe that breaks is a pipe that ends: the exit of the process decides.
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
    // For its garbage alone.
    chunk.toString('latin1', 0, YOUNG_BYTES);
    this.#guard(() => this.#framing.push(chunk));
    if (this.#pending.length === 0) return;
    const pending = Promise.all(this.#pending);
    this.#pending = [];
    if (!this.#isDraining) this.#stream.pause();
    pending.then(() => this.#stream.resume(), this.#parts.onFault);
  }

  #tell(frame: Frame): void {
    const taken = this.#parts.tell({ stream: this.#parts.name, ...readFrame(frame, this.#parts.mask) });
    if (taken instanceof Promise) this.#pending.push(taken);
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#parts.onFault(error);
    }
  }
}

function readFrame({ bytes, lineBytes }: Frame, mask: SecretMask): Omit<OutputLine, 'stream'> {
  const text = mask.apply(withoutReturn(bytes).toString('utf8'));
  if (lineBytes <= PROCESS_LINE_BYTES_MAX) return { text, isTruncated: false };
  // Masked first and cut then: a secret across the cut does not leave its beginning.
  return { text: `${text.slice(0, PROCESS_LINE_HEAD_BYTES)} [truncated: ${lineBytes} bytes]`, isTruncated: true };
}

function withoutReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === 13 ? bytes.subarray(0, -1) : bytes;
}
