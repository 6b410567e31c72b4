import { type Refusal, refuse } from '../refusal.ts';
import { nearWord } from '../words/near-word.ts';

/** Stands for every host, which an order has to ask for. */
export const WHOLE_NETWORK = 'full';
/** Names that stand for the hosts of a service. */
const NETWORK_PRESETS = ['npm', 'github'] as const;

const HOST = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*(:\d{1,5})?$/i;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\]):\d{1,5}$/i;
const ADDRESS = /(^|\.)\d+(:\d+)?$|^\[/;

/** Refuses names that are neither a preset nor a host: a mistyped one would open nothing. */
export function refuseNetworkWords(words: readonly string[]): Refusal | null {
  const wrong = words.find((word) => !isNetworkWord(word));
  if (wrong === undefined) return refuseLowPorts(words);
  const near = nearWord(wrong, NETWORK_PRESETS);
  const meant = near === null ? '' : `; did you mean ${near}?`;
  const refusal = refuse('invalid_argument', `${JSON.stringify(wrong)} is neither a preset nor a host${meant}`, '/net');
  return {
    ...refusal,
    hint: `${NETWORK_PRESETS.join(', ')}, api.example.com, *.example.com, localhost:3000, or ${WHOLE_NETWORK}`,
  };
}

/** In the sandbox nobody may listen on these ports, so nothing can pass them on. */
const FIRST_OPEN_PORT = 1_024;

function refuseLowPorts(words: readonly string[]): Refusal | null {
  const low = loopbackPortsOf(words).find((port) => port < FIRST_OPEN_PORT);
  if (low === undefined) return null;
  const message = `port ${low} of this machine cannot be opened in a sandbox: only ports from ${FIRST_OPEN_PORT} on can`;
  return { ...refuse('invalid_argument', message, '/net'), hint: 'let the service listen on a higher port' };
}

/** A single word is no host; a host of an intranet is given with its port. */
function isNetworkWord(word: string): boolean {
  if (NETWORK_PRESETS.some((preset) => preset === word) || word === WHOLE_NETWORK || LOOPBACK.test(word)) return true;
  return HOST.test(word) && /[.:]/.test(word) && !ADDRESS.test(word) && !/^localhost$/i.test(word);
}

/** The ports of this machine that a list of hosts names. */
export function loopbackPortsOf(words: readonly string[]): readonly number[] {
  return words.filter((word) => LOOPBACK.test(word)).map((word) => Number(word.slice(word.lastIndexOf(':') + 1)));
}
