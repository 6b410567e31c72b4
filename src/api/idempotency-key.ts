import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from '../domain/http-limits.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';

const KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_CHARACTERS_MAX}}$`);

/** The one rule for keys, in a header and in a line of a batch; `name` is what the caller knows it as. */
export function refuseKey(key: unknown, name: string, path = ''): Refusal | null {
  if (typeof key === 'string' && KEY.test(key)) return null;
  return refuse(
    'invalid_argument',
    `${name} is 1 to ${IDEMPOTENCY_KEY_CHARACTERS_MAX} printable characters without spaces`,
    path,
  );
}

/** The key of a line that has none of its own. A long key is hashed, so that the number of the line fits. */
export function keyOfLine(key: string, number: number): string {
  const whole = `${key}:${number}`;
  // Loaded on demand: every command that reaches a node loads this file.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return refuseKey(whole, 'a key') === null ? whole : `${createHash('sha256').update(key).digest('hex')}:${number}`;
}
