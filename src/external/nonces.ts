import { createHmac, timingSafeEqual } from 'node:crypto';
import { NONCE_SLOT_MS } from '../domain/external/external-limits.ts';

const TIME_BYTES = 8;
const MAC_BYTES = 16;
/** A clock that was set back by more makes the nonces of before unknown. */
const AHEAD_MS_MAX = 5_000;

/**
 * The nonces of a node: each bears the instant at which it was made and a mark that only this node can make. Nothing is stored, and
 * after a restart they still count.
 */
export class Nonces {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  make(nowMs: number): string {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeBigUInt64BE(BigInt(nowMs));
    return Buffer.concat([time, this.#markOf(time)]).toString('base64url');
  }

  /** How long ago this node made a nonce; null where it did not, and for one of the slot before the last. */
  ageOf(nonce: string, nowMs: number): number | null {
    const bytes = Buffer.from(nonce, 'base64url');
    // Decoding overlooks characters that are none.
    if (bytes.length !== TIME_BYTES + MAC_BYTES || bytes.toString('base64url') !== nonce) return null;
    const time = bytes.subarray(0, TIME_BYTES);
    if (!timingSafeEqual(bytes.subarray(TIME_BYTES), this.#markOf(time))) return null;
    const madeMs = Number(time.readBigUInt64BE());
    const isOld = slotOf(madeMs) < slotOf(nowMs) - 1;
    return isOld || madeMs > nowMs + AHEAD_MS_MAX ? null : Math.max(0, nowMs - madeMs);
  }

  #markOf(time: Uint8Array): Buffer {
    return createHmac('sha256', this.#secret).update(time).digest().subarray(0, MAC_BYTES);
  }
}

function slotOf(ms: number): number {
  return Math.floor(ms / NONCE_SLOT_MS);
}
