import {
  createHmac,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import type { Frame } from './transport.ts';

/** Seals frames between this node and one other, with a key that only the two can compute. */
export class Seals {
  readonly #key: KeyObject;
  /** As key objects: with a buffer each digest takes seven times as long. */
  readonly #keys = new Map<string, KeyObject>();

  /** The own private key of the agreement (X25519). */
  constructor(key: KeyObject) {
    this.#key = key;
  }

  seal(frame: Omit<Frame, 'seal'>, exchangeKey: string): string {
    return this.#digest(frame, exchangeKey).toString('base64url');
  }

  isSealedBy(frame: Frame, exchangeKey: string): boolean {
    const wanted = this.#digest(frame, exchangeKey);
    const given = Buffer.from(frame.seal, 'base64url');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  #digest(frame: Omit<Frame, 'seal'>, exchangeKey: string): Buffer {
    const { source, dest, epoch, seq, prev, fences, recordedAt, envelope } = frame;
    // None of the fields before the envelope contains a line feed.
    const head = [source, dest, epoch, seq, prev, fences, recordedAt].join('\n');
    return createHmac('sha256', this.#sharedWith(exchangeKey)).update(`${head}\n\n`).update(envelope).digest();
  }

  #sharedWith(exchangeKey: string): KeyObject {
    const known = this.#keys.get(exchangeKey);
    if (known) return known;
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: exchangeKey }, format: 'jwk' });
    const secret = diffieHellman({ privateKey: this.#key, publicKey });
    const shared = createSecretKey(createHmac('sha256', secret).update('baton federation frame 1').digest());
    this.#keys.set(exchangeKey, shared);
    return shared;
  }
}
