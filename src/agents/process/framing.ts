const LINE_FEED = 10;
const FIRST_BYTES = 4_096;

export interface FramingBounds {
  /** A line up to here is kept whole. */
  readonly lineBytesMax: number;
  /** Of a longer one, so much. */
  readonly headBytes: number;
}

export interface Frame {
  /** Good until the next push. */
  readonly bytes: Buffer;
  /** How long the line was; more than bytes holds where it was too long. */
  readonly lineBytes: number;
}

/** Cuts a stream of bytes into lines, however it is chunked. Holds one line, never more. */
export class Framing {
  readonly #bounds: FramingBounds;
  readonly #emit: (frame: Frame) => void;
  #held = Buffer.alloc(0);
  #heldBytes = 0;
  #lineBytes = 0;

  constructor(bounds: FramingBounds, emit: (frame: Frame) => void) {
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

  /** A last line without a line end counts too. */
  end(): void {
    if (this.#lineBytes > 0) this.#endLine(Buffer.alloc(0));
    this.#held = Buffer.alloc(0);
  }

  #endLine(rest: Buffer): void {
    if (this.#lineBytes === 0 && rest.length <= this.#bounds.lineBytesMax) {
      this.#emit({ bytes: rest, lineBytes: rest.length });
      return;
    }
    this.#hold(rest);
    const frame = { bytes: this.#held.subarray(0, this.#heldBytes), lineBytes: this.#lineBytes };
    this.#heldBytes = 0;
    this.#lineBytes = 0;
    this.#emit(frame);
    // A long line must not keep its memory for the short ones that follow.
    if (this.#held.length > this.#bounds.headBytes) this.#held = Buffer.alloc(0);
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
    this.#held = Buffer.from(this.#held.subarray(0, headBytes));
    this.#heldBytes = Math.min(this.#heldBytes, headBytes);
  }

  #append(part: Buffer): void {
    const needed = this.#heldBytes + part.length;
    if (needed > this.#held.length) {
      const grown = Buffer.allocUnsafe(
        Math.max(FIRST_BYTES, needed, Math.min(this.#held.length * 2, this.#bounds.lineBytesMax)),
      );
      this.#held.copy(grown, 0, 0, this.#heldBytes);
      this.#held = grown;
    }
    part.copy(this.#held, this.#heldBytes);
    this.#heldBytes = needed;
  }
}
