import { SECRET_CHARACTERS_MIN } from '../../domain/process-limits.ts';

export const MASK = '[REDACTED:secret]';

/** Replaces known values in whole lines, so that no chunk boundary can split one. */
export interface SecretMask {
  /** Length of the longest masked text: a line cut this many bytes after its head splits no secret in the head. */
  readonly bytesMax: number;
  apply(text: string): string;
}

/** Values too short to differ from ordinary words are not masked. */
export function secretMask(secrets: readonly string[]): SecretMask {
  const forms = new Set(secrets.flatMap(linesOf).flatMap(formsOf));
  if (forms.size === 0) return { bytesMax: 0, apply: (text) => text };
  // Longest first: if one value begins with another, the rest of the longer one is not left over.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escapePattern).join('|'), 'g');
  const bytesMax = Math.max(...longestFirst.map((form) => Buffer.byteLength(form)));
  return { bytesMax, apply: (text) => text.replace(pattern, MASK) };
}

/** A value of several lines is printed line by line, or escaped in one. */
function linesOf(secret: string): string[] {
  return [secret, ...secret.split(/\r?\n/)].filter((text) => text.length >= SECRET_CHARACTERS_MIN);
}

/** The value itself, and as programs write it in JSON, URLs, headers and dumps. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const json = JSON.stringify(value).slice(1, -1);
  const forms = [value, json, JSON.stringify(json).slice(1, -1), uriOf(value), hex, hex.toUpperCase()];
  return [...forms, ...base64Of(bytes)].filter((form) => form.length >= SECRET_CHARACTERS_MIN);
}

/** encodeURIComponent throws on a lone surrogate. */
function uriOf(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : value;
}

/** Preceding bytes shift the value by 0, 1 or 2 in base64; characters it shares with its neighbours are left out. */
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
