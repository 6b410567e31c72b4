import { SECRET_CHARACTERS_MIN } from '../../domain/limits.ts';

export const MASK = '[REDACTED:secret]';

/** Replaces known values in whole lines, so that no chunk can split one. */
export interface SecretMask {
  /** The longest text that is masked, in bytes: a cut this far from the end of what is known splits none. */
  readonly bytesMax: number;
  apply(text: string): string;
}

/** Values too short to be told from ordinary words are not masked. */
export function secretMask(secrets: readonly string[]): SecretMask {
  const forms = new Set(secrets.flatMap(linesOf).flatMap(formsOf));
  if (forms.size === 0) return { bytesMax: 0, apply: (text) => text };
  // The longest first, so that of two that begin alike none leaves a rest.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escapePattern).join('|'), 'g');
  const bytesMax = Math.max(...longestFirst.map((form) => Buffer.byteLength(form)));
  return { bytesMax, apply: (text) => text.replace(pattern, MASK) };
}

/** A value of several lines comes out line by line, or escaped in one. */
function linesOf(secret: string): string[] {
  return [secret, ...secret.split(/\r?\n/)].filter((text) => text.length >= SECRET_CHARACTERS_MIN);
}

/** The value as it is, and as programs write it in JSON, in addresses, in headers and in dumps. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const json = JSON.stringify(value).slice(1, -1);
  const forms = [value, json, JSON.stringify(json).slice(1, -1), uriOf(value), hex, hex.toUpperCase()];
  return [...forms, ...base64Of(bytes)].filter((form) => form.length >= SECRET_CHARACTERS_MIN);
}

/** A lone surrogate has no place in an address. */
function uriOf(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : value;
}

/** What is before the value in the encoded text shifts it by 0, 1 or 2 bytes; the characters it shares are left out. */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    const from = Math.ceil((shift * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    return [padded.toString('base64').slice(from, to), padded.toString('base64url').slice(from, to)];
  });
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
