import { maskValue } from '../secrets/mask-secrets.ts';
import type { TracedMessage } from './ledger-event.ts';

type Message = Readonly<Record<string, unknown>>;

/** A stored turn or event as it leaves the ledger: masked, and with the shown text of a chunk whose neighbours decide about it. */
export function maskedMessage({ envelope, shown }: TracedMessage): Message {
  const stored = parsed(envelope);
  return maskValue(shown === null ? stored : { ...stored, payload: { ...(stored.payload as Message), chunk: shown } });
}

/** Earlier versions, and agents in tests, may have stored something else than an object. */
function parsed(envelope: string): Message {
  try {
    const value: unknown = JSON.parse(envelope);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Message;
  } catch {
    // Not JSON: shown as text.
  }
  return { text: envelope };
}
