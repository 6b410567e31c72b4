import { KIB } from '../../domain/limits.ts';

const LINE_FEED = 10;
/** A line is stored in pieces of this size: a growing buffer would leave its smaller copies as garbage. */
const PIECE_BYTES = 64 * KIB;

export interface FramingBounds {
  /** Lines up to this length are emitted whole. */
  readonly lineBytesMax: number;
  /** A longer line is cut to this many bytes. */
  readonly headBytes: number;
}

export interface FramedLine {
  /** Valid until the next push. */
  readonly bytes: Buffer;
  /** Full length of the line; more than bytes.length if it was cut. */
  readonly lineBytes: number;
}

/** Splits a stream of bytes into lines, however it is chunked. Buffers at most one line. */
export class Framing {
  readonly #bounds: FramingBounds;
  readonly #emit: (frame: FramedLine) => void;
  #pieces: Buffer[] = [];
  #heldBytes = 0;
  #lineBytes = 0;

  constructor(bounds: FramingBounds, emit: (frame: FramedLine) => void) {
    this.#bounds = bounds;
    this.#emit = emit;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      this.#endLine(chunk.subarray(from, end));
      from = end + 1;
    }
    this.#hold(chunk.subarray(from));
  }

  /** Emits a last line without a line end. */
  end(): void {
    if (this.#lineBytes > 0) this.#endLine(Buffer.alloc(0));
    this.#pieces = [];
  }

  #endLine(rest: Buffer): void {
    if (this.#lineBytes === 0 && rest.length <= this.#bounds.lineBytesMax) {
      this.#emit({ bytes: rest, lineBytes: rest.length });
      return;
    }
    this.#hold(rest);
    const [first = Buffer.alloc(0)] = this.#pieces;
    const whole = this.#pieces.length > 1 ? Buffer.concat(this.#pieces) : first;
    const frame = { bytes: whole.subarray(0, this.#heldBytes), lineBytes: this.#lineBytes };
    // One piece is reused for the next line; the memory of a long line is freed.
    this.#pieces = [first];
    this.#heldBytes = 0;
    this.#lineBytes = 0;
    this.#emit(frame);
  }

  #hold(part: Buffer): void {
    const before = this.#lineBytes;
    this.#lineBytes += part.length;
    const { lineBytesMax, headBytes } = this.#bounds;
    if (before > lineBytesMax) return;
    if (this.#lineBytes <= lineBytesMax) {
      this.#append(part);
      return;
    }
    if (this.#heldBytes < headBytes) this.#append(part.subarray(0, headBytes - this.#heldBytes));
    this.#pieces.length = Math.ceil(headBytes / PIECE_BYTES);
    this.#heldBytes = headBytes;
  }

  #append(part: Buffer): void {
    for (let from = 0; from < part.length; ) {
      const at = this.#heldBytes % PIECE_BYTES;
      const piece = this.#pieceFor(this.#heldBytes);
      const copied = part.copy(piece, at, from);
      from += copied;
      this.#heldBytes += copied;
    }
  }

  #pieceFor(byte: number): Buffer {
    const place = Math.floor(byte / PIECE_BYTES);
    const piece = this.#pieces[place] ?? Buffer.allocUnsafe(PIECE_BYTES);
    this.#pieces[place] = piece;
    return piece;
  }
}
